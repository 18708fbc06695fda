"""Finds cards, phones, passports and insurance numbers, in whatever way their digits are written.

Length, grouping and check digits of a stretch of digits say what it may be, and the words around it decide. Phone
numbers that are grouped as usual need no such words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import phonenumbers
from stdnum import luhn
from stdnum.us import ssn

from consent.sensitive.detectors.bank_cards import ISSUED
from consent.sensitive.detectors.identity_cards import check_digit_holds
from consent.sensitive.detectors.lettered_papers import find_lettered
from consent.sensitive.detectors.phones import is_amount
from consent.sensitive.number_cues import cue_distance, cue_distances, stands_after
from consent.sensitive.number_runs import MOST_DIGITS, DigitGroup, number_runs
from consent.sensitive.types import Finding, SensitiveKind

_BEFORE: Final = re.compile(r"(?:\+|(?<![A-Za-z0-9])(?P<letters>[A-Za-z](?:[ *~|.-]?[A-Za-z])?)[ *~|.-]?)$")
_AFTER: Final = re.compile(r" ?[(（]?(?P<letter>[AaXx])[)）]?(?![A-Za-z0-9])")
_OPENING: Final = re.compile(r"(?:\+ ?)?[(（\[]?$")
_NO_BEGINNING: Final = re.compile(
    r"(?:[A-Za-z0-9_$¥€£%#&]|[0-9][.,:/-]|[A-Za-z][./_-]|[$¥€£] |(?:USD|RMB|CNY|HKD|EUR|GBP|JPY|人民币|金额|营收) ?)$"
)
_NO_END: Final = re.compile(r"[A-Za-z%_]|[.,:/-][0-9]|:[A-Za-z0-9]")
_REGIONS: Final = (
    "CN", "US", "GB", "HK", "TW", "SG", "MO", "AU", "FR", "JP", "AE", "NG", "VN", "KR", "DE", "IT", "ES", "NL", "IN",
    "TH", "ID", "PH", "PK", "ZA", "MY", "KE", "IE", "NZ", "BR", "MX",
)  # fmt: skip
_TOLL_FREE: Final = frozenset({"800", "833", "844", "855", "866", "877", "888", "900", "400"})
_MOBILE: Final = re.compile(r"1[3-9][0-9]{9}")
_AMERICAN: Final = re.compile(r"[2-9][0-9]{2}[2-9][0-9]{6}")
_NEAR: Final = 20
_OWN: Final = 8  # a word this near before another belongs to it: "invoice number"
_MOST_PARSED: Final = 60
_SPELLED: Final = 0.5


@dataclass(frozen=True)
class _Stretch:
    """Groups of a run that might be one number."""

    text: str
    groups: tuple[DigitGroup, ...]
    run_start: int

    @cached_property
    def digits(self) -> str:
        return "".join(group.digits for group in self.groups)

    @property
    def start(self) -> int:
        return self.groups[0].start

    @property
    def end(self) -> int:
        return self.groups[-1].end

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(group.digits) for group in self.groups)

    @cached_property
    def spelled(self) -> bool:
        written = sum(len(group.digits) for group in self.groups if group.spelled)
        return written >= len(self.digits) * _SPELLED

    @cached_property
    def apart(self) -> bool:
        """Whether it is written digit by digit, as nobody writes a sum of money."""
        return max(self.sizes) <= 1 and len(self.sizes) >= 7

    @cached_property
    def cues(self) -> dict[str, int]:
        return cue_distances(self.text, self.start)

    def called(self, kind: str, reach: int = 44) -> bool:
        """Whether a word for this kind stands before the number, nearer than a word for something harmless."""
        distance = cue_distance(kind, self.text, self.start)
        if distance is None or distance > reach:
            return False
        other = self.other
        return other is None or other > distance + _OWN

    @cached_property
    def other(self) -> int | None:
        """The distance of the nearest word before that makes it a harmless number, such as an order's."""
        return cue_distance("other", self.text, self.start)


def find(text: str) -> Iterator[Finding]:
    """The numbers of a text. Where one stretch may be two things, the classifier keeps the graver."""
    parsed, runs = 0, list(number_runs(text))
    yield from find_lettered(text, runs)
    for groups in runs:
        for stretch in _stretches(text, groups):
            kind = _kind(stretch)
            if kind is None and parsed < _MOST_PARSED and _may_be_phone(stretch):
                parsed += 1
                kind = SensitiveKind.PHONE if _is_phone(stretch) else None
            if kind is not None:
                yield _finding(stretch, kind)
                break


def _stretches(text: str, groups: list[DigitGroup]) -> Iterator[_Stretch]:
    """The whole run first, then shorter stretches of whole groups, the longest first."""
    count, start = len(groups), groups[0].start
    sizes = [len(group.digits) for group in groups]
    if sum(sizes) <= MOST_DIGITS:
        yield from _bounded(text, groups, 0, count, start)
    spans = []
    for first in range(min(count, MOST_DIGITS)):
        total = 0
        for last in range(first, min(count, first + MOST_DIGITS)):
            total += sizes[last]
            if total > MOST_DIGITS:
                break
            if total >= 7 and (first, last + 1) != (0, count):
                spans.append((-total, first, last + 1))
    for _, first, last in sorted(spans)[:MOST_DIGITS]:
        yield from _bounded(text, groups, first, last, start)


def _bounded(text: str, groups: list[DigitGroup], first: int, last: int, start: int) -> Iterator[_Stretch]:
    stretch = _Stretch(text, tuple(groups[first:last]), start)
    if _NO_END.match(text, stretch.end) is None or _AFTER.match(text, stretch.end):
        yield stretch


def _kind(stretch: _Stretch) -> SensitiveKind | None:
    """The kind of the number, or None; phones are tested separately."""
    digits, size = stretch.digits, len(stretch.digits)
    if size < 13 and size != 9:
        return None
    if _NO_BEGINNING.search(stretch.text, max(0, stretch.start - 2), stretch.start) and 0 not in stretch.cues.values():
        return None
    if (
        size in (17, 18)
        and stretch.digits[6:8] in {"18", "19", "20"}
        and check_digit_holds(digits + ("X" if size == 17 and _letter_after(stretch) == "X" else ""))
    ):
        return SensitiveKind.IDENTITY_CARD
    if 13 <= size <= 19 and _is_card(stretch):
        return SensitiveKind.BANK_CARD
    if size == 9:
        return _of_nine(stretch)
    return None


def _is_card(stretch: _Stretch) -> bool:
    digits = stretch.digits
    if len(set(digits)) == 1 or not luhn.is_valid(digits) or not ISSUED.fullmatch(digits):
        return False
    return stretch.other is None or stretch.spelled


def _of_nine(stretch: _Stretch) -> SensitiveKind | None:
    """Nine digits: an American or Canadian insurance number, or a passport's."""
    digits, cues = stretch.digits, stretch.cues
    american = ssn.is_valid(f"{digits[:3]}-{digits[3:5]}-{digits[5:]}")
    nearest = min((cues[kind], kind) for kind in cues) if cues else (99, "")
    if nearest[1] == "passport":
        return SensitiveKind.PASSPORT
    if stretch.called("canadian") and luhn.is_valid(digits) and nearest[1] != "other":
        return SensitiveKind.SOCIAL_SECURITY
    if american and (stretch.called("social") or stands_after("social", stretch.text, stretch.end)):
        return SensitiveKind.SOCIAL_SECURITY
    if american and stretch.sizes == (3, 2, 4) and "other" not in cues:
        return SensitiveKind.SOCIAL_SECURITY
    if stretch.called("passport") or ("other" not in cues and stands_after("passport", stretch.text, stretch.end)):
        return SensitiveKind.PASSPORT
    return None


def _letter_after(stretch: _Stretch) -> str:
    after = _AFTER.match(stretch.text, stretch.end)
    return after["letter"].upper() if after else ""


def _has_plus(stretch: _Stretch) -> bool:
    before = stretch.text[max(0, stretch.start - 3) : stretch.start].rstrip("( [")
    return before.endswith("+")


def _may_be_phone(stretch: _Stretch) -> bool:
    if is_amount(stretch.text, stretch.end):
        return False
    begin = stretch.start - 1 if _has_plus(stretch) else stretch.start
    return _NO_BEGINNING.search(stretch.text, max(0, begin - 5), begin) is None


def _is_phone(stretch: _Stretch) -> bool:
    digits, sizes, size = stretch.digits, stretch.sizes, len(stretch.digits)
    if _has_plus(stretch):
        return 9 <= size <= 15 and _parses(f"+{digits}", None, strict=False)
    if not 8 <= size <= 11:
        return False
    if digits[-10:][:3] in _TOLL_FREE and (size == 10 or sizes[0] == 1):
        return False  # a hotline belongs to nobody
    if sizes == (4, 2, 2) or (max(sizes) > 1 and min(sizes) == 1 and not stretch.spelled and len(sizes) < 4):
        return False  # a date, or a number with a decimal
    shaped = _MOBILE.fullmatch(digits) or _AMERICAN.fullmatch(digits[-10:]) or digits[0] == "0"
    called = stretch.called("phone", _NEAR) or (size >= 10 and stands_after("phone", stretch.text, stretch.end))
    if not called and (not shaped or stretch.other is not None):
        return False
    plain = stretch.spelled or stretch.apart or called
    if _MOBILE.fullmatch(digits):
        return plain or sizes in {(11,), (3, 4, 4), (3, 8), (7, 4), (3, 3, 5)}
    if _AMERICAN.fullmatch(digits) and digits[:3] not in _TOLL_FREE:
        return plain or sizes in {(3, 3, 4), (3, 7)}
    if digits[0] == "0" and digits[1] != "0" and 9 <= size <= 11:
        return (plain or (len(sizes) <= 5 and sizes[0] > 1)) and any(_parses(digits, region) for region in _REGIONS)
    if size == 11 and digits[0] == "1" and digits[1:4] not in _TOLL_FREE and _AMERICAN.fullmatch(digits[1:]):
        return plain or sizes == (1, 3, 3, 4)
    return (
        8 <= size <= 11
        and called
        and (stretch.apart or min(sizes) > 1)
        and any(_parses(digits, region) for region in _REGIONS)
    )


def _parses(digits: str, region: str | None, *, strict: bool = True) -> bool:
    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return False
    if not strict:
        return phonenumbers.is_possible_number(number)
    return phonenumbers.is_valid_number(number)


def _finding(stretch: _Stretch, kind: SensitiveKind) -> Finding:
    start, end, text = stretch.start, stretch.end, stretch.text
    if kind is SensitiveKind.IDENTITY_CARD and len(stretch.digits) == 17:
        after = _AFTER.match(text, end)
        end = after.end() if after else end
    if kind is SensitiveKind.PHONE:
        opening = _OPENING.search(text, max(0, start - 4), start)
        if opening and ("+" in opening.group() or any(mark in text[start:end] for mark in ")）]")):
            start = opening.start()
    return Finding(kind, start, end)
