"""The words by which a comment tells where its writer stands: local, in both languages, no model (seed A §5.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from pydantic import BaseModel, ConfigDict

from drift.configuration import DEFAULTS
from drift.types import Keyword, Stance
from foundation.text import normalize
from foundation.text.script import CJK_RANGES
from foundation.yaml_files import read_yaml

_GAP: Final = "…"
_PARTICLES: Final = "[了啊呀吧哦呢]*"
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![a-z0-9_])", r"(?![a-z0-9_])"
_WITHIN_A_CLAUSE: Final = r"(?:\s+(?!(?:but|and|though|because)\b)[a-z']+){0,3}\s*$"
_SAME_CLAUSE: Final = r"[^.,;:!?。，；：！？、\n]{0,24}?"
_TURNED: Final[dict[Stance, Stance]] = {"positive": "negative", "negative": "positive", "retraction": "retraction"}


class Words(BaseModel):
    """One language's entries; ``defaults/lexicon.yaml`` explains them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positive: tuple[str, ...]
    negative: tuple[str, ...]
    retraction: tuple[str, ...]
    neutral: tuple[str, ...]
    negators: tuple[str, ...]


class LexiconFile(BaseModel):
    """Both languages' entries."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: Words
    zh: Words


@dataclass(frozen=True)
class Lexicon:
    """Ready to read with: the entries by their spelling, one pattern of them all, and what turns them round."""

    stances: dict[str, Stance | None]  # None says nothing
    entries: re.Pattern[str]
    groups: tuple[str, ...]  # the entry behind each group of the pattern
    negators: re.Pattern[str]
    negation: re.Pattern[str]  # some of those at the end of a text

    def keywords_in(self, comment: str) -> tuple[Keyword, ...]:
        """The entries found in a comment, each once, in the order of their first appearance.

        A negated one is told as such: ``not agree`` is negative, ``不看空`` is positive.
        """
        return tuple(dict.fromkeys(self._found(_spelled(comment))))

    def _found(self, text: str) -> Iterator[Keyword]:
        read = 0
        for match in self.entries.finditer(text):
            word = self.groups[(match.lastindex or 1) - 1]
            stance = self.stances[word]
            if stance is not None:
                yield self._turned(word, stance, text[read : match.start()])
            read = match.end()

    def _turned(self, word: str, stance: Stance, before: str) -> Keyword:
        """What stands before an entry, back to the one before it, may turn it round; twice leaves it as it was."""
        negation = self.negation.search(before)
        negated = len(self.negators.findall(negation.group())) % 2 if negation else 0
        if not negated or stance == "retraction":
            return Keyword(word, stance)
        mark = "not " if word.isascii() else "不"
        return Keyword(f"{mark}{word}", _TURNED[stance])


def stance_of(keywords: Iterable[Keyword]) -> Stance | None:
    """Where a comment stands: for or against; None where it says neither, or both."""
    stances = {keyword.stance for keyword in keywords} - {"retraction"}
    return stances.pop() if len(stances) == 1 else None


def configured() -> Lexicon:
    """Of the file that ``DRIFT_LEXICON_FILE`` names, else the shipped one; read again when it changed.

    Raises ``ImproperlyConfigured`` for a file that is not there, and for what it may not say.
    """
    path = Path(settings.DRIFT_LEXICON_FILE) if settings.DRIFT_LEXICON_FILE else DEFAULTS / "lexicon.yaml"
    return _compiled(read_yaml(path, LexiconFile, "lexicon of drift"))


@lru_cache(maxsize=4)
def _compiled(file: LexiconFile) -> Lexicon:
    stances: dict[str, Stance | None] = {}
    for words in (file.en, file.zh):
        stances |= dict.fromkeys(map(_entry, words.neutral))
        stances |= dict.fromkeys(map(_entry, words.positive), "positive")
        stances |= dict.fromkeys(map(_entry, words.negative), "negative")
        stances |= dict.fromkeys(map(_entry, words.retraction), "retraction")
    ordered = sorted(stances, key=_longest_first)
    pattern = "|".join(f"({_as_pattern(entry)})" for entry in ordered)
    return Lexicon(stances, re.compile(pattern), tuple(ordered), *_negation(file))


def _spelled(text: str) -> str:
    return normalize(text).replace("’", "'")


def _entry(text: str) -> str:
    return _GAP.join(map(_spelled, text.split(_GAP)))  # to normalize the mark itself would make it three full stops


def _as_pattern(entry: str) -> str:
    pattern = _SAME_CLAUSE.join(re.escape(part.strip()) for part in entry.split(_GAP))
    if not re.search(f"[{CJK_RANGES}]", entry):
        return f"{_NO_LETTER_BEFORE}{pattern}{_NO_LETTER_AFTER}"
    if len(entry) == 1:
        return f"(?<![{CJK_RANGES}]){pattern}{_PARTICLES}(?![{CJK_RANGES}])"
    return pattern


def _negation(file: LexiconFile) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The negators, and one or more of them before an entry, with a few words of the same clause between."""
    english, chinese = (
        "|".join(re.escape(word) for word in sorted(map(_spelled, words.negators), key=_longest_first))
        for words in (file.en, file.zh)
    )
    english = f"{_NO_LETTER_BEFORE}(?:{english}){_NO_LETTER_AFTER}"
    before = f"(?:{english}){_WITHIN_A_CLAUSE}|(?:{chinese})[{CJK_RANGES}]{{0,3}}$"
    return re.compile(f"{english}|{chinese}"), re.compile(before)


def _longest_first(entry: str) -> tuple[int, str]:
    return -len(entry), entry
