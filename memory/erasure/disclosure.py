"""Decides by shared words whether a sentence discloses a forgotten statement, in Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from foundation.language import cjk_share, split_sentences
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.mentions import core_terms

_WORDS: Final = read_lexicon(__file__)

Terms = frozenset[str]
NOBODY: Final = " ".join(_WORDS.words("nobody"))
_HALF: Final = 0.5
"""The share of a forgotten statement's words from which on a sentence discloses it."""
_EVERYDAY: Final = frozenset(tokenize(" ".join(_WORDS.words("everyday"))))
"""Words that many statements contain, so that none of them discloses a statement by itself."""
_COMMON_TERMS: Final = Path(__file__).parent / "data" / "common_terms.txt"
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NAME: Final = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]*+")
"""A name inside an English sentence."""
_FEW: Final = 3
"""The most terms that a value, as a rule reads it, may have to name a thing; a longer one is a sentence."""
_CHINESE_FROM: Final = 0.2
"""The share of CJK letters from which a text counts as Chinese. It is low, so that in doubt more is erased."""


@dataclass(frozen=True)
class ErasedWords:
    """The terms of the forgotten statements, and of the statements that stay.

    ``statements`` are the terms of each forgotten statement, and of each sentence it was said in. ``values`` are the
    terms of the value that a rule found in one, such as a place. ``distinctive`` are the terms that disclose one by
    themselves, unless a memory that stays has them, too; ``kept`` are the terms of those memories. ``names`` are the
    user's own names, which disclose nothing.
    """

    statements: tuple[Terms, ...] = ()
    values: tuple[Terms, ...] = ()
    distinctive: Terms = frozenset()
    kept: tuple[Terms, ...] = ()
    names: Terms = frozenset()
    scripts: frozenset[bool] = frozenset()  # whether Chinese, of each statement

    @classmethod
    def of(
        cls,
        statements: Iterable[tuple[str, str]],
        quotes: Iterable[str] = (),
        kept: Iterable[str] = (),
        names: Iterable[str] = (),
    ) -> ErasedWords:
        """Build from statements with the value of each ("" where unknown) and the sentences they were said in."""
        told, said = list(statements), list(quotes)
        own = frozenset(token for name in (*names, NOBODY) for token in tokenize(name))
        texts = [*(text for text, _ in told), *said]
        values = [core_terms(value) - own for _, value in told]
        distinctive = frozenset(term for text, _ in told for term in core_terms(text) if not _is_everyday(term))
        named = frozenset(term for text in said for name in _names_in(text) for term in core_terms(name))
        return cls(
            statements=tuple(terms for text in texts if (terms := _terms_of(text) - own)),
            values=tuple(value for value in values if 0 < len(value) <= _FEW),
            distinctive=(distinctive | named) - own,
            kept=tuple(terms for text in kept if (terms := core_terms(text) - own)),
            names=own,
            scripts=frozenset(_is_chinese(text) for text in texts),
        )

    @cached_property
    def terms(self) -> Terms:
        """Every term of the forgotten statements."""
        return frozenset[str]().union(*self.statements, *self.values)

    @cached_property
    def unique_terms(self) -> Terms:
        """The distinctive terms that no remaining memory holds."""
        return self.distinctive - frozenset[str]().union(*self.kept)

    def disclosed_by(self, sentence: str) -> bool:
        """Whether a sentence discloses a forgotten statement.

        It does if it has one of the ``unique_terms``; if it has at least half of a statement's terms and no larger
        share of those of a memory that stays; or if it has half of a value's terms and less than half of those of every
        memory that stays.
        """
        said = _terms_of(sentence) - self.names
        if said & self.unique_terms:
            return True
        likest, other = self._shares_of(said)
        if likest >= _HALF and likest >= other:
            return True
        return other < _HALF and any(2 * len(said & value) >= len(value) for value in self.values)

    def stated_by(self, sentence: str) -> bool:
        """Whether a sentence says most of a statement or a whole value of one, and is no closer to one that stays.

        Sentences about something else may also share fewer terms.
        """
        said = _terms_of(sentence) - self.names
        likest, other = self._shares_of(said)
        return likest >= max(_HALF, other) or (other < _HALF and any(value <= said for value in self.values))

    def _shares_of(self, said: Terms) -> tuple[float, float]:
        """The largest share of a forgotten statement that was said, and of one that stays."""
        return _largest_share(said, self.statements), _largest_share(said, self.kept)

    def named_in(self, text: str) -> bool:
        """Whether a name or a value, which is no sentence, shares a word with a forgotten statement."""
        return bool(_terms_of(text) & self.terms)

    def disclosed_in(self, text: str) -> bool:
        """Whether any sentence of a text discloses a forgotten statement."""
        return any(map(self.disclosed_by, split_sentences(text)))

    def speaks_another_language(self, text: str) -> bool:
        """Whether a text is in none of the statements' languages, so that its words prove nothing."""
        return bool(self.scripts) and _is_chinese(text) not in self.scripts


NO_WORDS: Final = ErasedWords()
"""The words of an erasure that names rows only: they match nothing."""


def _is_chinese(text: str) -> bool:
    return cjk_share(text) >= _CHINESE_FROM


def _terms_of(text: str) -> Terms:
    """The core terms of a text; all its tokens where it consists of everyday words alone."""
    return core_terms(text) or frozenset(tokenize(text))


def _names_in(text: str) -> list[str]:
    """The names inside an English sentence, and every word with a digit."""
    return [*_NAME.findall(text), *(word for word in text.split() if any(map(str.isdigit, word)))]


@cache
def _common_terms() -> frozenset[str]:
    """Terms that many people chat about, which give no statement away."""
    lines = _COMMON_TERMS.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def _is_everyday(term: str) -> bool:
    return term in _EVERYDAY or term in _common_terms() or _YEAR.fullmatch(term) is not None


def _largest_share(said: Terms, statements: Sequence[Terms] | Collection[Terms]) -> float:
    """The largest share (0–1) of any statement's terms that was said; one shared word of several counts as none."""
    return max((_share_said(said, statement) for statement in statements), default=0.0)


def _share_said(said: Terms, statement: Terms) -> float:
    shared = len(said & statement)
    return shared / len(statement) if shared > 1 or shared == len(statement) else 0.0
