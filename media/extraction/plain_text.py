"""Reads plain text, whose encoding nobody states."""

from __future__ import annotations

import codecs
import re
from typing import Final

from media.extraction.page_budget import PageBudget
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_CHINESE: Final = ("gb18030", "big5")
_EVERYDAY: Final = frozenset(
    "的一是不了在人有我他这为之来个中上大到说们地出会和年时得也子就可下自生要以對時這個國們會來說為過"
)
"""The commonest characters of Chinese, in both scripts: any text of some length holds many of them."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_HAN_PAIR: Final = re.compile(r"[\u4e00-\u9fff]{2}")
_WESTERN: Final = "cp1252"
_LEAST_HAN: Final = 0.3
"""The share of letters outside ASCII that are Chinese characters where the bytes are Chinese."""


class PlainTextReader:
    """Reads UTF-8, UTF-16 and UTF-32, and of older encodings those of Chinese and of Western Europe."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        """As ``TextReader.read``: one page."""
        pages = PageBudget(limits)
        pages.add(decode_text(content))
        return pages.result("plain_text")


def decode_text(content: bytes) -> str:
    """The text of bytes in an unknown encoding. Raises ``ExtractionFailed`` for bytes that are no text."""
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if marked is None and b"\x00" in content:
        raise ExtractionFailed(Unread.DAMAGED)
    for name in [marked] if marked else ["utf-8"]:
        if (text := _decoded(content, name)) is not None:
            return text
    chinese = [text for name in _CHINESE if (text := _decoded(content, name)) is not None and _reads_chinese(text)]
    if chinese:
        return max(chinese, key=_everyday_characters)
    return content.decode(_WESTERN, "replace")


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _reads_chinese(text: str) -> bool:
    """Whether enough of it is Chinese: bytes of Western letters decode to rare characters between Latin ones."""
    foreign = [character for character in text if character > "\x7f"]
    return bool(foreign) and len(_HAN.findall(text)) >= _LEAST_HAN * len(foreign) and _stands_together(text)


def _stands_together(text: str) -> bool:
    """Whether Chinese characters stand beside each other, as those of a misread Western text do not."""
    return len(_HAN_PAIR.findall(text)) * 3 >= len(_HAN.findall(text))


def _everyday_characters(text: str) -> int:
    return sum(character in _EVERYDAY for character in text)
