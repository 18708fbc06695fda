"""Loads the words of requests to act from ``data/lexicon``; its English file explains them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from foundation.yaml_files import read_yaml

_DATA: Final = Path(__file__).parent / "data"
_LONGEST_SHORT_WORD: Final = 3  # a typo in a shorter word makes it another word


class _WordTable(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ActWords(_WordTable):
    """Verbs, and the kinds of objects that make an order of them."""

    verbs: tuple[str, ...]
    needs: tuple[str, ...]


class EnglishWords(_WordTable):
    """The English words."""

    acts: tuple[ActWords, ...]
    phrases: tuple[str, ...]
    irregular: dict[str, str]
    things: dict[str, tuple[str, ...]]
    units: tuple[str, ...]
    compounds: tuple[str, ...]
    research: tuple[str, ...]
    supposes: tuple[str, ...]
    suspects: tuple[str, ...]
    no_slips: tuple[str, ...]
    not_tickers: frozenset[str]

    @property
    def verbs(self) -> tuple[str, ...]:
        """Every verb of acting, in its base form."""
        return tuple(verb for act in self.acts for verb in act.verbs)


class ChineseWords(_WordTable):
    """The Chinese words, and the English ones used among them."""

    trades: tuple[str, ...]
    plunges: tuple[str, ...]
    handles: tuple[ActWords, ...]
    disposals: tuple[str, ...]
    things: dict[str, tuple[str, ...]]
    research: tuple[str, ...]
    nominal: tuple[str, ...]
    abstract: tuple[str, ...]
    everyday: tuple[str, ...]
    suspects: tuple[str, ...]


def english_words() -> EnglishWords:
    """The shipped English words, loaded once."""
    return read_yaml(_DATA / "lexicon.en.yaml", EnglishWords, "English lexicon of the boundary")


def chinese_words() -> ChineseWords:
    """The shipped Chinese words, loaded once."""
    return read_yaml(_DATA / "lexicon.zh.yaml", ChineseWords, "Chinese lexicon of the boundary")


def any_of(spellings: Iterable[str]) -> str:
    """A pattern that matches any of the spellings, the longest first."""
    return "|".join(
        re.escape(spelling) for spelling in sorted(set(spellings), key=lambda spelling: (-len(spelling), spelling))
    )


def misspellings(word: str, known: frozenset[str]) -> set[str]:
    """``word`` with a letter missing, two swapped or its last one doubled (``ordr``), without spellings of other known
    words.
    """
    doubled = {word + word[-1]}
    if len(word) <= _LONGEST_SHORT_WORD or " " in word:
        return doubled - known
    dropped = {word[:at] + word[at + 1 :] for at in range(1, len(word))}
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}
    return (doubled | dropped | swapped) - {word} - known
