"""Tells passwords and keys by their looks from words, figures, dates and addresses."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_ORDINARY: Final = re.compile(
    "|".join(
        (
            r"[0-9.,:/%+-]+",  # 1,204.50 or 12/31
            r"[0-9]{4}-?[A-Za-z]{3}",  # 2024-Nov
            r"[A-Za-z]+",  # password
            r"[A-Za-z]+(?:[-'/][A-Za-z]+)+",  # read-only, don't
            r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",  # carol@example.com
            r"[\w.-]+\.(?:com|io|py|js|csv|pdf|net|org|md|json|xlsx?)",  # example.com, notes.md
            r"v?[0-9]++(?:\.[0-9]++)++\w*+",  # v2.0.1rc1
        )
    )
)
_PLACEHOLDER: Final = re.compile(rf"(?:{read_lexicon(__file__).of('en').phrase('placeholders')})", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"[\w.]+#[0-9]{1,4}")  # room#12, jo#4471
_MARKS: Final = frozenset("!@#$%^&*_?+;~")
_CHOSEN_LENGTHS: Final = range(6, 41)
"""Characters of a password that a person makes up; services ask for at least six."""

_KEY: Final = re.compile(r"[A-Za-z0-9_+/=.:-]{16,}")
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HEX: Final = re.compile(r"[0-9a-f]{32,64}", re.IGNORECASE)
_KEY_OF_DIGITS: Final = 20
"""Digits alone from which a number is a key: account and order numbers are shorter."""
_DIGITS_OF_TWO_CASES, _DIGITS_OF_ONE_CASE = 2, 3
"""The fewest digits of a machine's key; a long name such as AcmeCapitalFund2 has one."""


def is_placeholder(word: str) -> bool:
    """Whether a word stands where a secret would: "changeme", "your_key"."""
    return _PLACEHOLDER.match(word) is not None


def looks_chosen(word: str, *, near: bool = True) -> bool:
    """Whether it looks like a password that a person made up: letters with digits or marks.

    Right behind the word that announces it "rover7" or "rover!" will do; farther away only "Rover7" or "rover7!".
    """
    if len(word) not in _CHOSEN_LENGTHS or _ORDINARY.fullmatch(word) or is_placeholder(word) or "//" in word:
        return False
    if not any(map(str.isalpha, word)):  # 12#34#56
        return False
    has_digit, has_mark = any(map(str.isdigit, word)), not _MARKS.isdisjoint(word)
    if near:
        return has_digit or has_mark
    return has_digit and (has_mark or has_two_cases(word)) and not _NUMBERED.fullmatch(word)


def looks_unmistakable(word: str) -> bool:
    """Whether it looks like a password where nothing announces one, as in ``admin:rover7``: a digit, and no path."""
    return looks_chosen(word) and any(map(str.isdigit, word)) and "/" not in word


def looks_generated(word: str, *, is_key: bool) -> bool:
    """Whether it looks like a key made by a machine; ``is_key`` where a key is announced, no password or service."""
    if not _KEY.fullmatch(word) or word.startswith(("0x", "http")) or "//" in word:
        return False
    digits = sum(map(str.isdigit, word))
    if digits == len(word):  # key 40718223905518276634
        return is_key and digits >= _KEY_OF_DIGITS
    if _ORDINARY.fullmatch(word):
        return False
    if has_two_cases(word):  # gydKwFXW9QLZHr4c
        return digits >= _DIGITS_OF_TWO_CASES
    return digits >= _DIGITS_OF_ONE_CASE and (is_key or bool(_HEX.fullmatch(word) or _UUID.fullmatch(word)))


def has_two_cases(word: str) -> bool:
    """Whether a word has both small and capital letters."""
    return word not in {word.lower(), word.upper()}
