"""Collects the pages of a file until its limits are reached."""

from __future__ import annotations

import re
from typing import Final

from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread

_UNSTORABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_BLANK_LINES: Final = re.compile(r"\n{3,}")


class PageBudget:
    """The pages read so far, and how much more may be read."""

    def __init__(self, limits: ExtractionLimits) -> None:
        self._limits = limits
        self._pages: list[str] = []
        self._seen = 0
        self._left = limits.characters
        self._is_cut = False

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be read. Ask before reading on: what is left out then counts as cut."""
        spent = self._seen >= self._limits.pages or self._left <= 0
        self._is_cut = self._is_cut or spent
        return spent

    def add(self, text: str) -> None:
        """Take the text of the next page."""
        self._seen += 1
        text = tidy_text(text)
        if len(text) > self._left:
            self._is_cut = True
            text = text[: self._left].rstrip()
        self._left -= len(text)
        self._pages.append(text)  # an empty one, too: passages are counted by pages

    def result(self, *readers: str) -> ExtractedText:
        """What was read. Raises ``ExtractionFailed`` where no page held text."""
        if not any(self._pages):
            raise ExtractionFailed(Unread.NO_TEXT)
        return ExtractedText(tuple(self._pages), readers, self._is_cut)


def tidy_text(text: str) -> str:
    """The text without characters that no database stores, and without more than one blank line in a row."""
    storable = _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = "\n".join(line.rstrip(" \t\u3000") for line in storable.split("\n"))
    return _BLANK_LINES.sub("\n\n", lines).strip()
