"""What a message names, by tables and rules: assets, organisations, people in public life, places, times and metrics.

Names of private people are never taken: they are masked before a message is stored, and belong in no slot. A slot
without values is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final, Literal

from consent.sensitive.names.public_people import PUBLIC_PEOPLE
from finclaw.brain.understanding.finance import tickers_in
from foundation.language import CJK_RANGES, Language, cjk_share, language_of, normalize
from foundation.lexicon import read_lexicon
from memory.models import ObjectKind
from memory.research.asset_names import canonical_name, packaged_assets
from memory.research.types import CognitionObject
from memory.rewriting.time_phrases import chinese_date, english_date
from memory.rewriting.timex.absolute_wording import phrase_of
from memory.rewriting.timex.reader import read_times
from memory.rewriting.timex.types import TimeExpression

EntitySlot = Literal["assets", "organisations", "people", "places", "times", "metrics"]
READ_CHARACTERS: Final = 1_000
"""How far into a message its names are looked for."""

_WORDS: Final = read_lexicon(__file__)
_EN, _ZH = _WORDS.of("en"), _WORDS.of("zh")
_WORD: Final = re.compile(rf"[^\W_{CJK_RANGES}]+(?:[.&'’/+-][^\W_{CJK_RANGES}]+)*")
_MOST_WORDS: Final = 6
_SHORTEST_CJK: Final = 2
_LONGEST_CJK: Final = 10
_SHORT: Final = re.compile(r"[A-Z]{1,3}")
_DAYS: Final = frozenset({"date", "range"})
_TIMES: Final = _DAYS | {"datetime", "datetime_range", "time"}
_NO_TIME: Final = frozenset(_WORDS.words("no_time"))
_SAID_ON: Final = _WORDS.sentence("said_on")
_CLOSES: Final = frozenset(_EN.words("closes"))
_OPENS: Final = frozenset(_EN.words("opens"))
_NO_NAME: Final = frozenset(_EN.words("no_name"))
_IN_SMALL_LETTERS: Final = frozenset(_EN.words("no_asset"))
_CJK_CLOSES: Final = sorted(_ZH.words("closes"), key=len, reverse=True)
_CJK_ENDS: Final = frozenset(_ZH.words("ends_before"))
_CJK_NO_NAME: Final = frozenset(_ZH.words("no_name"))


@dataclass(frozen=True)
class Mention:
    """The characters ``[start, end)`` of a message that name something, and what its slot holds of it."""

    start: int
    end: int
    slot: EntitySlot
    value: str


@dataclass(frozen=True)
class _Word:
    """A word without its possessive, which ends at ``stop``."""

    start: int
    end: int
    stop: int
    text: str


@dataclass(frozen=True)
class _Names:
    """The slot of each name: of Latin ones by their folded words and, where capitals count, as written."""

    folded: Mapping[str, EntitySlot]
    cased: Mapping[str, EntitySlot]
    cjk: Mapping[str, EntitySlot | None]


def named_entities(text: str, now: datetime) -> dict[str, list[str]]:
    """The names in a message by slot, each once and in order; ``now`` is the wall clock of whoever says it.

    Tickers are as written, assets by their one name, and a time that counts from the clock in absolute words.
    """
    mentions = find_mentions(text, now)
    taken = {normalize(text[one.start : one.end]) for one in mentions if one.slot != "assets"}
    slots = {"tickers": [ticker for ticker in tickers_in(text) if normalize(ticker) not in taken]}
    for mention in mentions:
        slots.setdefault(mention.slot, []).append(mention.value)
    return {slot: list(dict.fromkeys(values)) for slot, values in slots.items() if values}


def find_mentions(text: str, now: datetime) -> list[Mention]:
    """What a message names, from left to right; of names that overlap the longest."""
    text = text[:READ_CHARACTERS]
    language = language_of(text)
    words = [_without_possessive(found) for found in _WORD.finditer(text)]
    found = [
        *_latin_names(text, words, language),
        *_latin_organisations(text, words),
        *_cjk_names(text, language),
        *_times(text, now),
    ]
    taken: set[int] = set()
    kept = []
    for mention in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if taken.isdisjoint(range(mention.start, mention.end)):
            taken.update(range(mention.start, mention.end))
            kept.append(mention)
    return sorted(kept, key=lambda one: one.start)


def _without_possessive(found: re.Match[str]) -> _Word:
    cut = 2 if found.group().endswith(("'s", "’s")) else 0
    return _Word(found.start(), found.end() - cut, found.end(), found.group()[: len(found.group()) - cut])


def _latin_names(text: str, words: list[_Word], language: Language) -> Iterator[Mention]:
    names = _names()
    for place, first in enumerate(words):
        for last in _run(text, words, place):
            written = " ".join(word.text for word in words[place : last + 1])
            slot = names.cased.get(written) or names.folded.get(normalize(written))
            if slot and not (slot == "assets" and written in _IN_SMALL_LETTERS):
                yield _mention(text, first.start, words[last].end, slot, language)


def _run(text: str, words: list[_Word], place: int) -> Iterator[int]:
    """The places at which a name may end that begins with a word: nothing but spaces stands inside it."""
    yield place
    for last in range(place + 1, min(place + _MOST_WORDS, len(words))):
        between = text[words[last - 1].stop : words[last].start]
        if between.strip(" &") and not (between == ". " and words[last - 1].text in {"St", "Mt"}):
            return
        yield last


def _latin_organisations(text: str, words: list[_Word]) -> Iterator[Mention]:
    """Names that are closed as an organisation's is, "Mercy Hospital", or opened so, "University of Leeds"."""
    for place, first in enumerate(words):
        if not first.text[0].isupper() or first.text.lower() in _NO_NAME:
            continue
        ends = list(_run(text, words, place))
        capitals = [end for end in ends if all(word.text[0].isupper() for word in words[place : end + 1])]
        closed = [end for end in capitals[1:] if words[end].text in _CLOSES]
        opened = [end for end in ends[2:4] if words[end].text[0].isupper()] if _opens(words, place) else []
        for end in (*closed[-1:], *opened[:1]):
            yield Mention(first.start, words[end].end, "organisations", text[first.start : words[end].end])


def _opens(words: list[_Word], place: int) -> bool:
    return words[place].text in _OPENS and place + 1 < len(words) and words[place + 1].text == "of"


def _cjk_names(text: str, language: Language) -> Iterator[Mention]:
    """Chinese names, in simplified characters or traditional ones."""
    if not cjk_share(text):
        return
    simplified, names, at = _simplified(text), _names().cjk, 0
    while at < len(text):
        lengths = range(min(_LONGEST_CJK, len(text) - at), 1, -1)
        length = next((length for length in lengths if simplified[at : at + length] in names), 0)
        slot = names[simplified[at : at + length]] if length else None
        if slot:
            yield _mention(text, at, at + length, slot, language)
        elif closes := next((word for word in _CJK_CLOSES if simplified.startswith(word, at)), ""):
            start = _begin_of_closed(simplified, at)
            if start < at:
                yield Mention(start, at + len(closes), "organisations", text[start : at + len(closes)])
        at += length or 1


def _simplified(text: str) -> str:
    """The text normalized, if that changes no position in it; else the text itself."""
    folded = normalize(text)
    return folded if len(folded) == len(text) else text


def _begin_of_closed(text: str, closes: int) -> int:
    """Where a name begins that ends in a closing word (such as 银行) at ``closes``: as far back as its characters may
    belong to it; ``closes`` itself where no name stands before the word.
    """
    start = closes
    while start > max(0, closes - _LONGEST_CJK) and _may_be_in_a_name(text[start - 1]):
        start -= 1
    return start if closes - start >= _SHORTEST_CJK and text[start:closes] not in _CJK_NO_NAME else closes


def _may_be_in_a_name(character: str) -> bool:
    return character not in _CJK_ENDS and cjk_share(character) == 1


def _times(text: str, now: datetime) -> Iterator[Mention]:
    for language in _written_in(text):
        for found in read_times(text, now, language):
            words = text[found.start : found.end]
            if found.kind in _TIMES and words.lower() not in _NO_TIME and not _is_meal(found, words, language):
                yield Mention(found.start, found.end, "times", _dated(found, words, now, language))


def _is_meal(found: TimeExpression, words: str, language: Language) -> bool:
    """Whether a time of day is named without a figure, as "dinner" is: that is no moment."""
    return found.kind == "time" and language == "en" and not any(map(str.isdigit, words))


def _written_in(text: str) -> Iterable[Language]:
    share = cjk_share(text)
    return (*(("en",) if share < 1 else ()), *(("zh",) if share > 0 else ()))


def _dated(found: TimeExpression, words: str, now: datetime, language: Language) -> str:
    """A time as it can still be read another day: as said, in absolute words, or with the day it was said on."""
    if not found.is_relative and found.kind != "time" and len(found.intervals) == 1:
        return words
    phrase = phrase_of(found) if found.is_sure and found.kind in _DAYS else None
    if phrase is not None:
        return phrase.chinese if language == "zh" else phrase.english
    day = chinese_date(now) if language == "zh" else english_date(now)
    return _SAID_ON[language].format(words=words, day=day)


def _mention(text: str, start: int, end: int, slot: EntitySlot, language: Language) -> Mention:
    name = text[start:end]
    value = canonical_name(CognitionObject(ObjectKind.ASSET, name), language) if slot == "assets" else name
    return Mention(start, end, slot, value)


@cache
def _names() -> _Names:
    """Every name of the tables. Of two slots with the same name the later one counts."""
    folded: dict[str, EntitySlot] = {}
    cased: dict[str, EntitySlot] = {}
    cjk: dict[str, EntitySlot | None] = {}
    for slot, name, counts_capitals in _all_names():
        if cjk_share(name):
            cjk[normalize(name)] = slot
        elif counts_capitals or _SHORT.fullmatch(name):
            cased[_spaced(name)] = slot
        else:
            folded[normalize(_spaced(name))] = slot
    cjk |= dict.fromkeys(map(normalize, _ZH.words("no_asset")))
    return _Names(folded, cased, cjk)


def _spaced(name: str) -> str:
    return " ".join(_without_possessive(found).text for found in _WORD.finditer(name))


def _all_names() -> Iterator[tuple[EntitySlot, str, bool]]:
    """Each name with its slot and whether its capitals count."""
    for word in (*PUBLIC_PEOPLE, *_WORDS.words("people")):
        yield "people", word, " " not in word
    for word in _WORDS.words("metrics"):
        yield "metrics", word, word.isupper()
    for word in _ZH.words("metrics_in_latin"):
        yield "metrics", word, True
    cased, cased_places = set(_EN.words("cased")), set(_EN.words("cased_places"))
    for word in {*_EN.words("organisations"), *_ZH.words("organisations")} | cased:
        yield "organisations", word, word in cased
    for word in {*_EN.words("places"), *_ZH.words("places")} | cased_places:
        yield "places", word, word in cased_places
    for asset in packaged_assets():
        yield from (("assets", name, False) for name in asset)
