"""Makes the "shadow" of a text: lower-case ASCII bytes, one for each character, for fast searches of literal words.

Such a search is a hundred times as fast as a regular expression. Detectors search the shadow for hints, and try their
patterns only where they find one.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import digits


def ascii_shadow(text: str) -> bytes:
    """The text in lower case, with ``?`` for what is not ASCII; offsets agree with those of the text."""
    return text.encode("ascii", "replace").lower()


def places_of(word: bytes, shadow: bytes) -> Iterator[int]:
    """Where a word in lower case stands in a shadow, in order."""
    at = shadow.find(word)
    while at >= 0:
        yield at
        at = shadow.find(word, at + 1)


_DIGITS = bytes(ord("0") if chr(code) in digits else code for code in range(256))


def has_digits(shadow: bytes, count: int, between: bytes) -> bool:
    """Whether ``count`` digits follow each other, ignoring the characters ``between`` them."""
    return b"0" * count in shadow.translate(_DIGITS, between)
