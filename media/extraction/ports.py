"""What reads the text of one type of file."""

from __future__ import annotations

from typing import Protocol

from media.extraction.types import ExtractedText, ExtractionLimits


class TextReader(Protocol):
    """Reads files of one type. Runs in a process of its own, which is killed past its limits."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        """The text of a file. Raises ``ExtractionFailed``; whatever else it raises counts as a damaged file."""
        ...
