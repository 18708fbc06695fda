"""Finds numbers of Chinese resident identity cards (GB 11643-1999) and of the older 15-digit cards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from stdnum.cn import ric
from stdnum.exceptions import ValidationError

from consent.sensitive.candidate_spans import matches_in, number_of
from consent.sensitive.nearby_words import only_digits, stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind

_BEGIN, _END = r"(?<![0-9A-Za-z])(?<![0-9][.,])", r"(?![0-9A-Za-z])(?![.,][0-9])"
_DATE = r"(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12][0-9]|3[01])"
_CARD = re.compile(
    rf"{_BEGIN}[1-9][0-9]{{3}}[ -]?[0-9]{{2}}[ -]?(?:18|19|20)[0-9]{{2}}[ -]?{_DATE}[ -]?[0-9]{{3}}[ -]?[0-9Xx]{_END}"
)
_OLD_CARD = re.compile(rf"{_BEGIN}[1-9][0-9]{{5}}[0-9]{{2}}{_DATE}[0-9]{{3}}{_END}")
_STRETCH = number_of(15)
_CALLED = word_pattern("identity", "id card", "id number", "身份证", "身份證", "证件", "證件", "公民身份")


def find(text: str) -> Iterator[Finding]:
    """Numbers with a valid check digit and birth date; old ones have no check digit, so words must call them cards."""
    for match in matches_in(_STRETCH, text, _CARD, _OLD_CARD):
        if (
            _is_called_identity_card(text, match)
            if match.re is _OLD_CARD
            else check_digit_holds(only_digits(match.group()).upper())
        ):
            yield Finding(SensitiveKind.IDENTITY_CARD, *match.span())


def _is_called_identity_card(text: str, match: re.Match[str]) -> bool:
    return stands_before(_CALLED, text, match.start())


def check_digit_holds(number: str) -> bool:
    """Whether a number of 18 characters has a day of birth and the check digit of ISO 7064."""
    try:
        born = ric.get_birth_date(number)
    except ValidationError:
        return False
    return ric.calc_check_digit(number) == number[-1] and born <= datetime.now(UTC).date()
