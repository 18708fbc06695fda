"""Reads what is written in disguise: base64, hexadecimal, rot13, digits for letters, letters one by one.

Orders hidden so are as good as plain ones to a model, and show no word to a pattern.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from codecs import decode
from collections.abc import Iterator
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)
_COMMON: Final = frozenset(_WORDS.of("en").words("common"))

_MOST_DECODED: Final = 8
"""Encoded runs of one text that are decoded."""
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,4000}+={0,2}")
_HEXADECIMAL: Final = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[ :]?+){8,2000}+")
_HEX_BREAKS: Final = re.compile("[ :]")
_SPACED: Final = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z][ .\-_*]){3,80}[A-Za-z](?![A-Za-z0-9])")
_BETWEEN: Final = re.compile(r"[ .\-_*]")
_MIXED: Final = re.compile(r"[A-Za-z0-9@$!|]++")
_DIGITS_WITHIN: Final = re.compile(r"[A-Za-z][013457@$!|]{1,4}[A-Za-z]|^[013457@$][A-Za-z]{2}")
"""Not only before or behind the letters, as in ``5G`` or ``btc2026``."""
_DIGIT_LETTERS: Final = str.maketrans("013457@$!|", "oieastasil")
_LONGEST_WORD: Final = 20
_LEAST_READABLE: Final = 0.9
_LEAST_COMMON: Final = 0.15
"""The share of a text's words that are common ones where it is plain English."""


def undisguised(text: str) -> Iterator[str]:
    """The text in each other form that it may be read in; nothing for a text in which nothing is disguised.

    Linear in the text.
    """
    yield from _decoded_runs(text)
    if _SPACED.search(text):
        yield _SPACED.sub(lambda run: _BETWEEN.sub("", run.group()), text)
    if (plain := _MIXED.sub(_with_letters, text)) != text:
        yield plain
    if _common_share(text) < _LEAST_COMMON <= _common_share(turned := decode(text, "rot13")):
        yield turned


def _decoded_runs(text: str) -> Iterator[str]:
    for number, run in enumerate(_BASE64.finditer(text)):
        if number < _MOST_DECODED and (found := _readable(_base64(run.group()))):
            yield found
    for number, run in enumerate(_HEXADECIMAL.finditer(text)):
        if number < _MOST_DECODED and (found := _readable(bytes.fromhex(_HEX_BREAKS.sub("", run.group())))):
            yield found


def _base64(run: str) -> bytes:
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(bare[: len(bare) - (len(bare) % 4 == 1)] + "=" * (-len(bare) % 4 % 3))
    except NotBase64:
        return b""


def _readable(content: bytes) -> str:
    """The bytes as text, where nearly all of them are characters that people write."""
    text = content.decode("utf-8", "ignore")
    written = sum(character.isalnum() or character in " \n.,;:!?'\"-，。！？" for character in text)
    return text if written and written >= _LEAST_READABLE * len(text) and len(text.encode()) == len(content) else ""


def _with_letters(word: re.Match[str]) -> str:
    """A word that mixes letters with the digits that look like them, in letters: ``1gn0re`` → ``ignore``."""
    found = word.group()
    return found.translate(_DIGIT_LETTERS) if len(found) <= _LONGEST_WORD and _DIGITS_WITHIN.search(found) else found


def _common_share(text: str) -> float:
    words = text[:2_000].lower().split()
    return sum(word.strip(".,!?") in _COMMON for word in words) / max(1, len(words))
