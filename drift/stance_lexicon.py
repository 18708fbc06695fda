"""The lexicon that reads the stance of a comment (for, against, retracted), in English and Chinese, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final

from django.conf import settings
from pydantic import BaseModel, ConfigDict

from drift.configuration import DEFAULTS
from drift.types import Keyword, Stance
from foundation.language import CJK_RANGES, normalize
from foundation.yaml_files import read_yaml

_GAP: Final = "…"
_PARTICLES: Final = "[了啊呀吧哦呢]*"
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![a-z0-9_])", r"(?![a-z0-9_])"
_DEGREE: Final = "(?:[度也并都太]|实在|真的|确实|其实|非常|相当|比较)?"
_WORD: Final = r"(?:\s+(?!(?:but|and|though|because|yet|still|so)\b)[a-z0-9'-]+)"
_CHARACTER: Final = f"(?:(?![但却而就也])[{CJK_RANGES}])"
_NEAR: Final = rf"(?:{_WORD}{{0,3}}\s*|{_CHARACTER}{{0,3}})"
_FAR: Final = rf"(?:{_WORD}{{0,8}}\s*|(?:{_CHARACTER}|[a-z0-9 ]){{0,16}})"
_LOOK_BACK: Final = 160  # characters: more than what may stand between several negators and an entry
_CJK: Final = re.compile(f"[{CJK_RANGES}]")
_SAME_CLAUSE: Final = r"[^.,;:!?。，；：！？、\n]{0,24}?"
_OTHER_SIDE: Final[dict[Stance, Stance]] = {"positive": "negative", "negative": "positive"}


class LanguageEntries(BaseModel):
    """One language's entries; ``defaults/lexicon.yaml`` explains them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positive: tuple[str, ...]
    negative: tuple[str, ...]
    retraction: tuple[str, ...]
    neutral: tuple[str, ...]
    negators: tuple[str, ...]
    negators_after: tuple[str, ...] = ()
    opinions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class LexiconFile(BaseModel):
    """Both languages' entries."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: LanguageEntries
    zh: LanguageEntries


@dataclass(frozen=True)
class PolarityShifters:
    """Negators and doubts around an entry, which reverse its stance or leave it open."""

    before: re.Pattern[str]  # its groups: "doubt", "far" and "near"
    reaches: Mapping[str, re.Pattern[str]]  # by group: what may stand between a negator and the entry it reverses
    behind: re.Pattern[str]

    def count(self, before: str) -> int | None:
        """How many negators at the end of a text reverse what follows it; None if a doubt leaves the stance open.

        They are read backwards, as long as each reaches the next: ``cannot deny``, ``不能不``.
        """
        count, end = 0, len(before)
        for negator in reversed(list(self.before.finditer(before))):
            if not self.reaches[negator.lastgroup or ""].fullmatch(before, negator.end(), end):
                break
            if negator.lastgroup == "doubt":
                return None
            count, end = count + 1, negator.start()
        return count


@dataclass(frozen=True)
class StanceLexicon:
    """The compiled lexicon: entries by spelling, one pattern of them all, and the shifters of polarity."""

    stances: dict[str, Stance | None]  # None: a neutral entry
    entries: re.Pattern[str]
    groups: tuple[str, ...]  # the entry behind each group of the pattern
    shifters: PolarityShifters

    def keywords_in(self, comment: str) -> tuple[Keyword, ...]:
        """The entries found in a comment, each once, in the order of their first appearance.

        A negated entry has the opposite stance: ``not agree`` is negative, ``不看空`` is positive. Negated retractions
        and doubted entries are left out.
        """
        return tuple(dict.fromkeys(self._found(_fold(comment))))

    def _found(self, text: str) -> Iterator[Keyword]:
        read = skipped = 0
        for match in self.entries.finditer(text):
            word = self.groups[(match.lastindex or 1) - 1]
            stance = self.stances[word]
            if stance is None:
                skipped = match.end()
            elif stance == "retraction":
                # "I do not agree that I was wrong" retracts nothing, so the text read may include earlier entries.
                before = text[max(skipped, match.start() - _LOOK_BACK) : match.start()]
                yield from self._retracted(word, before, match.group())
            else:
                behind = self.shifters.behind.match(text, match.end()) is not None
                yield from self._with_polarity(word, stance, text[read : match.start()], behind)
            read = match.end()

    def _with_polarity(self, word: str, stance: Stance, before: str, negated_behind: bool) -> Iterator[Keyword]:
        """The keyword of an entry, reversed where an odd number of negators around it apply."""
        count = self.shifters.count(before)
        if count is None:
            return
        mark = ("not " if word.isascii() else "不") if (count + negated_behind) % 2 else ""
        yield Keyword(f"{mark}{word}", _OTHER_SIDE[stance] if mark else stance)

    def _retracted(self, word: str, before: str, found: str) -> Iterator[Keyword]:
        """The retraction, unless it is negated before it or within: 我之前的判断没有错."""
        first, _, last = word.partition(_GAP)
        within = found[len(first) : len(found) - len(last)] if last else ""
        counts = (self.shifters.count(before), self.shifters.count(within))
        if not any(count is None or count % 2 for count in counts):
            yield Keyword(word, "retraction")


def stance_of(keywords: Iterable[Keyword]) -> Stance | None:
    """The stance of a comment: positive or negative; None where it takes neither side, or both."""
    stances = {keyword.stance for keyword in keywords} - {"retraction"}
    return stances.pop() if len(stances) == 1 else None


def configured_lexicon() -> StanceLexicon:
    """The lexicon in the file of ``DRIFT_LEXICON_FILE``, else the shipped one; read again when it changed.

    Raises ``ImproperlyConfigured`` for a file that is not there, and for what it may not say.
    """
    path = Path(settings.DRIFT_LEXICON_FILE) if settings.DRIFT_LEXICON_FILE else DEFAULTS / "lexicon.yaml"
    return _compile(read_yaml(path, LexiconFile, "lexicon of drift"))


@lru_cache(maxsize=4)
def _compile(file: LexiconFile) -> StanceLexicon:
    stances: dict[str, Stance | None] = {}
    for language in (file.en, file.zh):
        stances |= dict.fromkeys(map(_fold_entry, language.neutral))
        stances |= dict.fromkeys(map(_fold_entry, language.positive), "positive")
        stances |= dict.fromkeys(map(_fold_entry, language.negative), "negative")
        stances |= dict.fromkeys(map(_fold_entry, language.retraction), "retraction")
    # Grouped by first character, longest first: only entries with the same beginning compete at one place.
    ordered = sorted(stances, key=lambda entry: (entry[:1], *_longest_first(entry)))
    chinese = [entry for entry in ordered if _CJK.search(entry)]
    phrases = [entry for entry in chinese if len(entry) > 1]
    characters = [entry for entry in chinese if len(entry) == 1]
    words = [entry for entry in ordered if entry not in chinese]
    # The condition before each kind of entry stands once: the pattern is tried at every character of a comment.
    pattern = (
        f"{_entry_groups(phrases)}|{_NO_LETTER_BEFORE}(?:{_entry_groups(words)}){_NO_LETTER_AFTER}"
        f"|(?<![{CJK_RANGES}])(?:{_entry_groups(characters)}){_PARTICLES}(?![{CJK_RANGES}])"
    )
    return StanceLexicon(stances, re.compile(pattern), (*phrases, *words, *characters), _polarity_shifters(file))


def _fold(text: str) -> str:
    return normalize(text).replace("’", "'")


def _fold_entry(text: str) -> str:
    return _GAP.join(map(_fold, text.split(_GAP)))  # normalizing "…" would make it "..."


def _entry_groups(entries: Iterable[str]) -> str:
    """A pattern of the entries, each a group of its own, after the character that several of them begin with.

    Without entries, a pattern that never matches.
    """
    by_beginning = groupby(entries, key=lambda entry: entry[:1])
    return "|".join(_entry_group(re.escape(begin), some) for begin, some in by_beginning) or r"(?!)"


def _entry_group(begin: str, entries: Iterable[str]) -> str:
    return f"{begin}(?:{'|'.join(f'({_spelled_out(entry).removeprefix(begin)})' for entry in entries)})"


def _as_pattern(entry: str) -> str:
    pattern = _spelled_out(entry)
    return pattern if _CJK.search(entry) else f"{_NO_LETTER_BEFORE}{pattern}{_NO_LETTER_AFTER}"


def _spelled_out(entry: str) -> str:
    return _SAME_CLAUSE.join(re.escape(part.strip()) for part in entry.split(_GAP))


def _polarity_shifters(file: LexiconFile) -> PolarityShifters:
    languages = (file.en, file.zh)
    negators = [_fold_entry(word) for words in languages for word in words.negators]
    groups = {
        "doubt": [_fold_entry(word) for words in languages for word in words.doubts],
        "far": [word.removesuffix(_GAP) for word in negators if word.endswith(_GAP)],
        "near": [word for word in negators if not word.endswith(_GAP)],
    }
    before = "|".join(f"(?P<{name}>{_any_of(words)})" for name, words in groups.items())
    opinion = _any_of(_fold_entry(word) for words in languages for word in words.opinions)
    reaches = {"doubt": _FAR, "far": _FAR, "near": rf"{_NEAR}(?:(?:{opinion}){_FAR})?"}
    no_turn = _any_of(_fold_entry(word) for words in languages for word in words.neutral)
    behind = _any_of(_fold_entry(word) for words in languages for word in words.negators_after)
    return PolarityShifters(
        re.compile(before),
        {name: re.compile(reach) for name, reach in reaches.items()},
        re.compile(rf"\s{{0,8}}+{_DEGREE}(?!{no_turn})(?:{behind})"),
    )


def _any_of(entries: Iterable[str]) -> str:
    """A pattern of all of them, the longest first; without entries, a pattern that never matches."""
    return "|".join(map(_as_pattern, sorted(entries, key=_longest_first))) or r"(?!)"


def _longest_first(entry: str) -> tuple[int, str]:
    return -len(entry), entry
