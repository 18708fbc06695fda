"""Normalization of text: width, case, Chinese script, white space."""

from __future__ import annotations

import unicodedata
from functools import cache

import opencc

_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})  # spaces, controls, and formats such as U+200B
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f")  # letters and marks that show nothing


# One character that NFKC writes out as a phrase of 18 letters: a message of it would be read as eighteen messages.
# Its abbreviation stands for it; no other character becomes more than eight.
_LONGEST, _ABBREVIATED = "\ufdfa", "\u0635\u0644\u0639\u0645"
# What NFKC makes of the marks of Chinese prose. A text without any other such character it only has to look through,
# which takes a tenth of the time.
_WIDE_MARKS = tuple((mark, unicodedata.normalize("NFKC", mark)) for mark in "，！？：；（）…～")


def is_blank(text: str) -> bool:
    """Whether there is nothing to be seen in a text; true of the empty one."""
    return all(unicodedata.category(character) in _UNSEEN or character in _FILLERS for character in text)


def normalize(text: str) -> str:
    """Fold width, case and Chinese script: NFKC, traditional to simplified, casefold.

    Idempotent. The ``tw2s`` table is used because it also folds Taiwan's 著 in 看著 to 着, which ``t2s``
    leaves. Lone surrogates, which cannot be stored as UTF-8, become question marks.
    """
    if text.isascii():
        return text.lower()
    found = text.encode("utf-8", "replace").decode()
    # One pass is not always a fixed point: OpenCC maps 薴 to 苧 and 苧 to 苎.
    while (again := _fold(found)) != found:
        found = again
    return found


def comparison_form(text: str) -> str:
    """``text`` normalized, with one space for any run of whitespace: how words are compared."""
    return " ".join(normalize(text).split())


def _fold(text: str) -> str:
    plain = text.replace(_LONGEST, _ABBREVIATED)
    for mark, ascii_mark in _WIDE_MARKS:
        plain = plain.replace(mark, ascii_mark)
    simplified: str = _converter().convert(unicodedata.normalize("NFKC", plain))
    return unicodedata.normalize("NFKC", simplified.casefold())


@cache
def _converter() -> opencc.OpenCC:
    return opencc.OpenCC("tw2s")
