"""Finds candidate spans for detectors: long numbers, and long runs without a space.

Detectors search only these spans, so that ordinary text costs next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def number_of(digits: int) -> re.Pattern[str]:
    """A pattern of a number with at least so many digits, however it is spaced."""
    return re.compile(rf"[0-9](?:[ ().-]{{0,3}}+[0-9]){{{digits - 1},}}+")


LONG_NUMBER = number_of(10)
LONG_RUN = re.compile(r"[0-9A-Za-z_:/+=.-]{20,}+")
_BEFORE, _AFTER = 3, 8  # characters around a span that the patterns' look-behinds and look-aheads need


def matches_in(
    stretch: re.Pattern[str], text: str, *patterns: re.Pattern[str], before: int = _BEFORE
) -> Iterator[re.Match[str]]:
    """The matches of the patterns in each candidate span, from ``before`` characters ahead of it."""
    for place in stretch.finditer(text):
        for pattern in patterns:
            yield from pattern.finditer(text, max(0, place.start() - before), place.end() + _AFTER)
