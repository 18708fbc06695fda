"""Finds international bank account numbers (ISO 13616)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import iban

from consent.sensitive.types import Finding, SensitiveKind

_SHORTEST = 15  # Norway's
# Two letters that begin a word, two digits, and 11 to 30 characters more: 15 to 34 in all. The look back stands behind
# the first letter rather than before it, so that the search can skip to letters.
_CANDIDATE = re.compile(r"[A-Za-z](?<![0-9A-Za-z].)[A-Za-z][0-9]{2}(?:[ -]?[0-9A-Za-z]){11,30}")
_AFTER = re.compile(r"(?![0-9A-Za-z])")


def find(text: str) -> Iterator[Finding]:
    """Numbers whose check digits and national structure hold.

    A candidate may run on into the words after the number; only the longest valid beginning of it is reported.
    """
    for match in _CANDIDATE.finditer(text):
        length = _length(match.group())
        end = match.start() + length
        if length and _AFTER.match(text, end):
            yield Finding(SensitiveKind.IBAN, match.start(), end)


def _length(candidate: str) -> int:
    """How many characters of the candidate are an account number, 0 for none."""
    for end in range(len(candidate), _SHORTEST - 1, -1):
        # check_country=False: without the further check digits that the library knows of some countries
        if candidate[end - 1].isalnum() and iban.is_valid(candidate[:end], check_country=False):
            return end
    return 0
