"""Finds runs of digits however they are written: spaced, dotted, split over lines, spelled in English or Chinese.

"four one five, 288 - sixteen ninety-four", 一三八 零零二四 and ``5 3 9`` are read as digits; each group of digits keeps
its place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from consent.sensitive.ascii_shadow import ascii_shadow, places_of
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_ENGLISH: Final = _WORDS.of("en").numbers("digits")
_TENS: Final = _WORDS.of("en").numbers("tens")
_REPEATS: Final = _WORDS.of("en").numbers("repeats")
_CHINESE: Final = _WORDS.of("zh").numbers("digits")
_BETWEEN: Final = "|".join(
    sorted(
        map(re.escape, (*_WORDS.of("en").words("between"), *_WORDS.of("zh").words("between"))), key=len, reverse=True
    )
)
_NUMBER_WORDS: Final = tuple(word.encode() for word in (*_ENGLISH, *_TENS, *_REPEATS) if len(word) > 1)
_HAN: Final = "".join(_CHINESE)
_SPELLED: Final = "|".join(sorted((*_ENGLISH, *_TENS, *_REPEATS), key=len, reverse=True))
_UNIT: Final = rf"(?:[0-9]++|[{_HAN}]++|(?<![A-Za-z])(?i:{_SPELLED})(?![A-Za-z]))"
_GAP: Final = rf"(?:(?<![0-9])[,，]|[,，](?! ?[0-9{_HAN}])|[ \n.、·_/|~()\[\]（）—–-]|\*(?!\*)|(?:{_BETWEEN}))"
_PLAIN_RUN: Final = re.compile(rf"[0-9{_HAN}]++(?:{_GAP}{{0,5}}+[0-9{_HAN}]++)*+")
_RUN: Final = re.compile(rf"{_UNIT}(?:{_GAP}{{0,5}}+{_UNIT})*+")
_NUMERIC: Final = re.compile(rf"[0-9{_HAN}](?:[ \n.,，、·_/|*~()\[\]（）—–-]{{0,5}}+[0-9{_HAN}]){{5,}}+")
_SPOKEN: Final = re.compile(
    rf"(?<![A-Za-z])(?:{_SPELLED})[ ,-]{{1,3}}+(?:{_SPELLED}|[0-9])(?![A-Za-z])"
    rf"|[0-9][ ,-]{{1,3}}+(?:{_SPELLED})(?![A-Za-z])",
    re.IGNORECASE,
)
_PIECE: Final = re.compile(rf"[0-9]+|[{_HAN}]+|(?i:{_SPELLED})")
_SAID_ZERO: Final = re.compile(rb"o(?<![a-z]o)(?![a-z])")
_NEAR, _FAR = 4, 40  # a digit before a number's word, and the end of the word behind it
_DATE: Final = re.compile(r"(?:19|20)[0-9]{2}([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])(?: [0-2]?[0-9])?")
"""A date, perhaps with an hour: such a run is never a person's number."""
LEAST_DIGITS: Final = 6
MOST_DIGITS: Final = 34


@dataclass(frozen=True, slots=True)
class DigitGroup:
    """Digits written in one piece. ``spelled`` is True where they were words or Chinese characters."""

    digits: str
    start: int
    end: int
    spelled: bool


def number_runs(text: str) -> Iterator[list[DigitGroup]]:
    """The runs of at least ``LEAST_DIGITS`` digits, each as its groups in order."""
    spoken = _is_spoken(text)
    if not spoken and _NUMERIC.search(text) is None:
        return
    for run in (_RUN if spoken else _PLAIN_RUN).finditer(text):
        if run.end() - run.start() < LEAST_DIGITS or _DATE.fullmatch(text, *run.span()):
            continue
        groups = _joined([_group(piece) for piece in _PIECE.finditer(text, *run.span())], text)
        if sum(len(group.digits) for group in groups) >= LEAST_DIGITS:
            yield groups


def _is_spoken(text: str) -> bool:
    """Whether a number word stands beside another number."""
    shadow = ascii_shadow(text)
    places = [start for word in _NUMBER_WORDS for start in places_of(word, shadow)]
    if places:
        places += (found.start() for found in _SAID_ZERO.finditer(shadow))
    return any(_SPOKEN.search(text, max(0, start - _NEAR), start + _FAR) is not None for start in places)


def _group(piece: re.Match[str]) -> DigitGroup:
    word = piece.group()
    if word.isascii() and word.isdigit():
        return DigitGroup(word, *piece.span(), spelled=False)
    if word[0] in _CHINESE:
        return DigitGroup("".join(str(_CHINESE[character]) for character in word), *piece.span(), spelled=True)
    lowered = word.lower()
    if lowered in _REPEATS:
        return DigitGroup("*" * _REPEATS[lowered], *piece.span(), spelled=True)
    if lowered in _TENS:
        return DigitGroup(f"{_TENS[lowered]}+", *piece.span(), spelled=True)
    return DigitGroup(str(_ENGLISH[lowered]), *piece.span(), spelled=True)


def _joined(groups: list[DigitGroup], text: str) -> list[DigitGroup]:
    """The groups with "double nine" and "ninety-four" resolved to digits, and adjacent groups joined.

    ``_group`` writes "double" as ``**`` and "ninety" as ``9+``.
    """
    joined: list[DigitGroup] = []
    for group in groups:
        last = joined[-1] if joined else None
        if last is not None and last.digits[-1] == "*" and group.digits[0].isdigit():
            head = last.digits.rstrip("*")
            repeated = group.digits[0] * (len(last.digits) - len(head))
            joined[-1] = DigitGroup(head + repeated + group.digits[1:], last.start, group.end, spelled=True)
        elif last is not None and last.digits[-1] == "+":
            unit = group.digits if len(group.digits) == 1 and group.digits != "0" else f"0{group.digits}"
            joined[-1] = DigitGroup(last.digits[:-1] + unit, last.start, group.end, spelled=True)
        elif last is not None and last.end == group.start:
            joined[-1] = DigitGroup(last.digits + group.digits, last.start, group.end, last.spelled or group.spelled)
        else:
            joined.append(group)
    return [
        DigitGroup(group.digits.replace("*", "").replace("+", "0"), group.start, group.end, group.spelled)
        for group in joined
        if group.digits.strip("*")
    ]
