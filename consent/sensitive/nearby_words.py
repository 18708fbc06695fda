"""Searches for words near a number that say what it is, such as "phone" or "card"."""

from __future__ import annotations

import re

REACH = 40  # characters; about a clause in either language


def word_pattern(*alternatives: str) -> re.Pattern[str]:
    """A pattern of words in either language, whatever their case. English ones begin at the beginning of a word."""
    english = "|".join(word for word in alternatives if word.isascii())
    chinese = "|".join(word for word in alternatives if not word.isascii())
    parts = [rf"(?<![a-z])(?:{english})"] if english else []
    return re.compile("|".join([*parts, chinese] if chinese else parts), re.IGNORECASE)


def stands_before(pattern: re.Pattern[str], text: str, start: int, reach: int = REACH) -> bool:
    """Whether the words stand within ``reach`` characters before ``start``."""
    return pattern.search(text, max(0, start - reach), start) is not None


def only_digits(text: str) -> str:
    """The number without the spaces and dashes it is grouped by."""
    return text.replace(" ", "").replace("-", "")
