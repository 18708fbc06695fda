"""Finds telephone numbers: cheap patterns find candidates, Google's libphonenumber validates them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import phonenumbers

from consent.sensitive.ascii_shadow import ascii_shadow, has_digits
from consent.sensitive.candidate_spans import LONG_NUMBER, matches_in, number_of
from consent.sensitive.nearby_words import stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_LEXICON: Final = read_lexicon(__file__)

_BEGIN = (
    r"(?<![0-9A-Za-z_+$¥€£#@/-])(?<![0-9][.,:])"
    r"(?<!(?:USD|RMB|CNY|HKD|EUR|GBP|JPY) )(?<![$¥€£] )(?<!人民币)(?<!人民币 )"
)
_END = r"(?![0-9A-Za-z_%/-])(?![.,:][0-9])"
_NO_AMOUNT = rf"(?! ?(?:{_LEXICON.phrase('no_amount')}))"

# Shapes that only phones have. The value is the region by whose rules a number without "+" is parsed.
_REGION_OF: dict[re.Pattern[str], str | None] = {
    re.compile(_BEGIN + shape + _END + _NO_AMOUNT): region
    for shape, region in (
        (r"(?:\+|00)[1-9](?:[ ().-]{0,2}+[0-9]){7,14}", None),
        (r"1[3-9][0-9](?:[ -]?[0-9]{4}){2}", "CN"),
        (r"\(?0(?:10|2[0-9]|[3-9][0-9]{2})(?:\) ?|-)[2-8][0-9]{6,7}", "CN"),
        (r"(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[.-])[2-9][0-9]{2}[.-][0-9]{4}", "US"),
    )
}
# Any other number counts as a phone only where the words before call it one.
_WORDS = _LEXICON.words("words")
_CALLED = word_pattern(*_WORDS)
_CALLED_REACH = 16
_SHORTEST = 8
_EIGHT_DIGITS = number_of(_SHORTEST)
_AFTER = 16
_DIGITS = re.compile(_BEGIN + r"\(?[0-9](?:[ ()-]{0,2}+[0-9]){7,11}" + _END + _NO_AMOUNT)
_REGIONS = ("CN", "US", "GB", "HK", "TW", "SG", "MO")
_OF_PEOPLE = frozenset(
    {
        phonenumbers.PhoneNumberType.MOBILE,
        phonenumbers.PhoneNumberType.FIXED_LINE,
        phonenumbers.PhoneNumberType.FIXED_LINE_OR_MOBILE,
        phonenumbers.PhoneNumberType.VOIP,
        phonenumbers.PhoneNumberType.PERSONAL_NUMBER,
    }
)


def find(text: str) -> Iterator[Finding]:
    """Valid numbers of people; hotlines (toll-free, shared cost) belong to nobody and are left out."""
    for match in matches_in(LONG_NUMBER, text, *_REGION_OF):
        if _is_of_a_person(match.group(), _REGION_OF[match.re]):
            yield Finding(SensitiveKind.PHONE, *match.span())


def find_called(text: str) -> Iterator[Finding]:
    """Valid numbers in any of ``_REGIONS``, where the words before call it a phone number."""
    lowered = text.lower()
    if not any(word in lowered for word in _WORDS) or not has_digits(ascii_shadow(text), _SHORTEST, b" ()-"):
        return
    for match in _digits_in(text):
        if stands_before(_CALLED, text, match.start(), _CALLED_REACH) and any(
            _is_of_a_person(match.group(), region) for region in _REGIONS
        ):
            yield Finding(SensitiveKind.PHONE, *match.span())


def _digits_in(text: str) -> Iterator[re.Match[str]]:
    for place in _EIGHT_DIGITS.finditer(text):
        # Includes a bracket before the number, and words of an amount after it.
        begin, end = max(0, place.start() - 1), place.end() + _AFTER
        yield from (match for match in _DIGITS.finditer(text, begin, end) if match.start() < place.end())


_AMOUNT = re.compile(rf" ?(?:{_LEXICON.phrase('no_amount')})")


def is_amount(text: str, end: int) -> bool:
    """Whether what follows a number makes it a sum of money or a count."""
    return _AMOUNT.match(text, end) is not None


def _is_of_a_person(candidate: str, region: str | None) -> bool:
    try:
        number = phonenumbers.parse(candidate, region)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.number_type(number) in _OF_PEOPLE  # UNKNOWN for an invalid one
