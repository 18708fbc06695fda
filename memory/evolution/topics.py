"""The fields of life that a statement is about, by its words. Pure.

A new statement may change an old one of the same field.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from foundation.lexicon import read_lexicon
from foundation.text import tokenize

_WORDS: Final = read_lexicon(__file__)


def _build_index(words_by_name: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """The index from a token or Chinese character to the names it stands for."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, words in words_by_name.items():
        for token in (token for word in words for token in tokenize(word)):
            found[token].add(name)
    return {token: frozenset(names) for token, names in found.items()}


_TOPICS: Final = _build_index(_WORDS.groups("topics"))
_WHO: Final = _build_index(_WORDS.groups("persons"))


def topics_of(tokens: Iterable[str]) -> frozenset[str]:
    """The fields of life that index tokens and single Chinese characters belong to."""
    return frozenset().union(*(_TOPICS[token] for token in tokens if token in _TOPICS))


def persons_of(tokens: Iterable[str]) -> frozenset[str]:
    """The people close to the speaker that the tokens name, by relation."""
    return frozenset().union(*(_WHO[token] for token in tokens if token in _WHO))
