"""Finds document numbers with letters: passports, identity cards of Hong Kong and Taiwan, British insurance numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.number_cues import cue_distances, stands_after
from consent.sensitive.number_runs import DigitGroup
from consent.sensitive.types import Finding, SensitiveKind

_LETTERS: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z](?:[ *~|.-]?[A-Za-z])?[ *~|.-]?$")
_MOST_DIGITS: Final = 9
_CHECK: Final = re.compile(r"[ *~|.-]?[(（]?[ ]?(?P<letter>[A-DXa-dx]) ?[)）]?(?![A-Za-z0-9])")
_BRACKET: Final = re.compile(r" ?[)）]")
_NINO: Final = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]")
_HKID: Final = re.compile(r"[A-Z]{1,2}[0-9]{6}[0-9A]")
_TAIWAN: Final = re.compile(r"[A-Z][1289][0-9]{8}")
_PASSPORT: Final = re.compile(r"[A-Z]{1,2}[0-9]{6,8}")
_CHINESE: Final = re.compile(r"[EGDSP][0-9]{8}|E[A-HJ-NP-Z][0-9]{7}")
_FRENCH: Final = re.compile(r"[0-9](?<![A-Za-z0-9].)[0-9][A-Z]{2}[0-9]{5}(?![A-Za-z0-9])")
_GERMAN_SIGNS: Final = "CFGHJKLMNPRTVWXYZ"
_GERMAN: Final = re.compile(
    rf"[{_GERMAN_SIGNS}](?<![A-Za-z0-9].)(?=[A-Z0-9]{{0,7}}[0-9])"
    rf"(?:[0-9{_GERMAN_SIGNS}]{{8}}|[0-9{_GERMAN_SIGNS}]{{2}} [0-9A-Z]{{3}} [0-9A-Z]{{3}})(?![A-Za-z0-9])"
)
_TAIWAN_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


def find_lettered(text: str, runs: list[list[DigitGroup]]) -> Iterator[Finding]:
    """Numbers of the right shape and check digits. Passports have none: words must call them so, or a rare shape."""
    for groups in runs:
        yield from _lettered(text, groups)
    for pattern, sure in ((_FRENCH, True), (_GERMAN, False)):
        for match in pattern.finditer(text):
            cues = cue_distances(text, match.start())
            if "passport" in cues or (sure and "other" not in cues):
                yield Finding(SensitiveKind.PASSPORT, *match.span())


def _lettered(text: str, groups: list[DigitGroup]) -> Iterator[Finding]:
    begin = groups[0].start
    letters = _LETTERS.search(text, max(0, begin - 6), begin)
    if letters is None or (text[letters.start() - 1 : letters.start()] == "'"):
        return
    prefix = "".join(filter(str.isalpha, letters.group()))
    if not prefix.isupper() and (
        len(prefix) > 1 or not groups[0].spelled or "passport" not in cue_distances(text, letters.start())
    ):
        return
    for count in range(min(len(groups), _MOST_DIGITS), 0, -1):
        digits = "".join(group.digits for group in groups[:count])
        found = (
            _paper(text, letters.start(), begin, prefix.upper() + digits, groups[count - 1].end)
            if len(digits) <= _MOST_DIGITS
            else None
        )
        if found is not None:
            yield found
            return


def _paper(text: str, start: int, begin: int, number: str, end: int) -> Finding | None:
    suffix = _CHECK.match(text, end)
    written = text[begin : suffix.end() if suffix else end]
    found = _kind(
        text, start, end, number, suffix["letter"].upper() if suffix else "", bracket="(" in written or "（" in written
    )
    if found is None:
        return None
    kind, with_suffix = found
    end = suffix.end() if with_suffix and suffix else end
    opened = max(text.rfind("(", begin, end), text.rfind("（", begin, end))
    closing = _BRACKET.match(text, end)
    if closing and opened >= 0 and not any(mark in text[opened:end] for mark in ")）"):
        end = closing.end()
    return Finding(kind, start, end)


def _kind(
    text: str, start: int, end: int, number: str, letter: str, *, bracket: bool
) -> tuple[SensitiveKind, bool] | None:
    """The kind of a number, and whether the letter after it belongs to it."""
    if letter and _NINO.fullmatch(number + letter):
        return SensitiveKind.SOCIAL_SECURITY, True
    if not (
        _HKID.fullmatch(number)
        or _HKID.fullmatch(number + letter)
        or _PASSPORT.fullmatch(number)
        or _TAIWAN.fullmatch(number)
    ):
        return None
    cues = cue_distances(text, start)
    passport, other = cues.get("passport", 99), cues.get("other", 99)
    hong_kong = cues.get("hong_kong", 99)
    for candidate, with_letter in ((number + letter, True), (number, False)) if letter else ((number, False),):
        if (
            _HKID.fullmatch(candidate)
            and is_hkid(candidate)
            and (bracket or (hong_kong <= passport and hong_kong < 99))
        ):
            return SensitiveKind.HKID, with_letter
    if _TAIWAN.fullmatch(number) and is_taiwanese(number) and other >= cues.get("taiwan", 99):
        return SensitiveKind.TW_ID, False
    is_called = passport <= min(other, 44) or (other == 99 and stands_after("passport", text, end))
    if _PASSPORT.fullmatch(number) and (is_called or (_CHINESE.fullmatch(number) and other == 99)):
        return SensitiveKind.PASSPORT, False
    return None


def is_hkid(number: str) -> bool:
    """Whether the check digit of a Hong Kong identity card holds: weights 9 to 2, modulo 11."""
    padded = number.rjust(9)
    values = [36 if character == " " else int(character, 36) for character in padded[:-1]]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return number[-1] == "0123456789A"[-total % 11]


def is_taiwanese(number: str) -> bool:
    """Whether the check digit of a Taiwanese identity card holds: the letter as two digits, modulo 10."""
    letter = _TAIWAN_LETTERS.index(number[0]) + 10
    digits = [letter // 10, letter % 10, *map(int, number[1:])]
    weights = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True)) % 10 == 0
