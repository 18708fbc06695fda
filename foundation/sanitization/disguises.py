"""Reads what is written in disguise: base64, hexadecimal, rot13, digits for letters, letters one by one.

A model obeys orders hidden like this as it does plain ones, but patterns of words do not find them.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from codecs import decode
from collections.abc import Callable, Iterator
from string import ascii_letters, digits, hexdigits
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)
_COMMON: Final = frozenset(_WORDS.of("en").words("common"))
_TURNED_COMMON: Final = frozenset(decode(word, "rot13") for word in _COMMON)


def _kinds_of(**characters: str) -> bytes:
    """A table for ``bytes.translate``: each character's kind, ``?`` for every other one."""
    kinds = bytearray(b"?" * 256)
    for kind, those in characters.items():
        for character in those:
            kinds[ord(character)] = ord(kind)
    return bytes(kinds)


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
# Signs without which no pattern is tried: kinds of characters are looked up in one pass, and a stretch of them found in
# another, which takes a hundredth of what a pattern does.
_KINDS: Final = _kinds_of(a=ascii_letters, d="013457@$!|", e="2689", s=" .-_*")
_IN_BASE64: Final = _kinds_of(r=ascii_letters + digits + "+/_-")
_IN_HEXADECIMAL: Final = _kinds_of(r=hexdigits)
_RUN_SIGN: Final = b"r" * 16
_SPACED_SIGN: Final = b"asasasa"
_MIXED_SIGNS: Final = (b"ada", b"adda", b"addda", b"adddda", b"?daa", b"sdaa")
_LONGEST_WORD: Final = 20  # longer runs of letters and digits are keys or hashes, not words in disguise
_LEAST_READABLE: Final = 0.9  # share of letters and plain punctuation from which decoded bytes are a text
_LEAST_COMMON: Final = 0.15
"""The share of a text's words that are common ones where it is plain English."""


def undisguised(text: str) -> Iterator[str]:
    """The text in each other form that it may be read in; nothing for a text in which nothing is disguised.

    Linear in the text.
    """
    kinds = b"?" + text.encode("ascii", "replace").translate(_KINDS)
    yield from (content for _, _, content in decoded_runs(text))
    if _SPACED_SIGN in kinds and _SPACED.search(text):
        yield _SPACED.sub(lambda run: _BETWEEN.sub("", run.group()), text)
    if any(sign in kinds for sign in _MIXED_SIGNS) and (plain := _MIXED.sub(_with_letters, text)) != text:
        yield plain
    words = [word.strip(".,!?") for word in text[:2_000].lower().split()]
    if _share(words, _COMMON) < _LEAST_COMMON <= _share(words, _TURNED_COMMON):
        yield decode(text, "rot13")


def decoded_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """The runs of a text in base64 or hexadecimal that hold readable text: where each stands, and what it says."""
    characters = text.encode("ascii", "replace")
    if _RUN_SIGN in characters.translate(_IN_BASE64):
        yield from _decoded(_BASE64, text, _base64)
    if _RUN_SIGN in characters.translate(_IN_HEXADECIMAL, b" :"):
        yield from _decoded(_HEXADECIMAL, text, lambda run: bytes.fromhex(_HEX_BREAKS.sub("", run)))


def _decoded(pattern: re.Pattern[str], text: str, decoded: Callable[[str], bytes]) -> Iterator[tuple[int, int, str]]:
    for number, run in enumerate(pattern.finditer(text)):
        if number < _MOST_DECODED and (found := _readable(decoded(run.group()))):
            yield run.start(), run.start() + len(run.group().rstrip()), found


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


def _share(words: list[str], known: frozenset[str]) -> float:
    return sum(map(known.__contains__, words)) / max(1, len(words))
