"""The port of scanners: what says whether a file is safe."""

from __future__ import annotations

from typing import Protocol

from media.content_types import ContentType
from media.scanning.types import CleanContent


class ScannerUnavailable(Exception):
    """The scanner cannot be asked now; the file counts as not checked."""


class ScannerInterrupted(ScannerUnavailable):
    """The scanner was ended before it knew: by the clock, or killed."""


class ScannerPort(Protocol):
    """Says whether content is safe."""

    def scan(self, content: bytes, content_type: ContentType) -> CleanContent:
        """What is kept of a file of this kind. Raises ``Refused``, and ``ScannerUnavailable``."""
