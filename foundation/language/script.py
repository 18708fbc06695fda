"""The script that a text is written in."""

from __future__ import annotations

import re
from typing import Final

CJK_RANGES: Final = (
    "\u3005-\u3007"  # iteration mark, zero
    "\u3041-\u3096\u30a1-\u30fc"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7a3"  # Hangul syllables
    "\U00020000-\U0003ffff"  # Han, supplementary planes
)
"""The inside of a regular-expression class: characters written without spaces between words."""

_CJK = re.compile(f"[{CJK_RANGES}]")
_LETTER = re.compile(r"[^\W\d_]")


def cjk_characters(text: str) -> list[str]:
    """The CJK characters of ``text``, in order and with repeats."""
    return [] if text.isascii() else _CJK.findall(text)


def cjk_share(text: str) -> float:
    """The share of CJK characters among the letters of ``text``, 0.0 to 1.0; 0.0 without letters."""
    cjk = len(cjk_characters(text))
    if not cjk:
        return 0.0
    return cjk / max(cjk, len(_LETTER.findall(text)))
