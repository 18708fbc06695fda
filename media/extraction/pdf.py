"""Reads PDF documents; a page without text is read as an image, as scans are."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Final

from media.extraction.image_text import read_image
from media.extraction.page_budget import PageBudget
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread

if TYPE_CHECKING:
    from pypdf import PageObject

_SCANNED_PAGES: Final = 20
"""The most pages that are read as images: each takes seconds."""
_SCAN_BYTES: Final = 20_000
"""Smaller images on a page are ornaments."""


class PdfReader:
    """Reads PDF documents with pypdf."""

    def __init__(self, read_scan: Callable[[bytes], str] = read_image) -> None:
        self._read_scan = read_scan

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        """As ``TextReader.read``."""
        import pypdf
        from pypdf.errors import FileNotDecryptedError

        document = pypdf.PdfReader(BytesIO(content))
        if document.is_encrypted and not document.decrypt(""):
            raise ExtractionFailed(Unread.PASSWORD)
        pages, scans = PageBudget(limits), 0
        try:
            for page in document.pages:
                if pages.is_spent:
                    break
                text = page.extract_text()
                if not text.strip() and scans < _SCANNED_PAGES:
                    text = self._scanned_text(page)
                    scans += bool(text)
                pages.add(text)
        except FileNotDecryptedError as error:
            raise ExtractionFailed(Unread.PASSWORD) from error
        return pages.result("pypdf", *(["rapidocr"] if scans else []))

    def _scanned_text(self, page: PageObject) -> str:
        """The text in the images of a page; "" where none can be read."""
        try:
            scans = [image.data for image in page.images if len(image.data) >= _SCAN_BYTES]
            return "\n".join(map(self._read_scan, scans[:4]))
        except ExtractionFailed:
            return ""
