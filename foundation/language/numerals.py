"""Whole numbers in Chinese numerals."""

from __future__ import annotations

from typing import Final

from foundation.language.tables import tables_of

DIGITS: Final = {word: value for word, value in tables_of("zh").numerals.items() if value < 10}
MULTIPLIERS: Final = {word: value for word, value in tables_of("zh").numerals.items() if value >= 10}
_LONGEST: Final = 9


def chinese_numeral(text: str) -> int | None:
    """The value of a numeral in digits or characters (12, 十二, 一百零五); None for any other text."""
    if text.isdecimal():
        return int(text)
    value, end = leading_numeral(text)
    return value if end and end == len(text) else None


def leading_numeral(text: str, start: int = 0) -> tuple[int, int]:
    """The value of the Chinese numeral that begins at ``start``, and where it ends: at ``start`` if there is none."""
    total, current, end = 0, 0, start
    for character in text[start : start + _LONGEST]:
        if times := MULTIPLIERS.get(character):
            total, current = total + (current or 1) * times, 0
        elif character not in DIGITS or current:
            break
        else:
            current = DIGITS[character]
        end += 1
    return total + current, end
