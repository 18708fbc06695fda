"""Text in images is read in both languages; without the optional library it is said not to be."""

from __future__ import annotations

import sys

import pytest

from media.extraction import image_text
from media.extraction.pdf import PdfReader
from media.extraction.readers import PDF, read_text
from media.extraction.types import ExtractionFailed, ExtractionLimits, Unread
from tests.support.made_files import CHINESE_FONTS, image_file, scanned_file

LIMITS = ExtractionLimits()


@pytest.mark.skipif(not CHINESE_FONTS, reason="no Chinese font here")
def test_text_in_pixels_is_read_in_both_languages() -> None:
    pytest.importorskip("rapidocr")
    lines = "The invoice is due on 12 March\n发票应在三月十二日前支付"

    assert read_text(image_file(lines), "image/png", LIMITS).text == lines


def test_a_scanned_page_is_read_as_an_image() -> None:
    seen: list[bytes] = []
    reader = PdfReader(lambda scan: "Scanned" if not seen.append(scan) else "")  # type: ignore[func-returns-value]

    read = reader.read(scanned_file("Contract No. 17"), LIMITS)

    assert (read.text, read.readers, len(seen)) == ("Scanned", ("pypdf", "rapidocr"), 1)


def test_without_the_optional_library_an_image_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    image_text._recognizer.cache_clear()

    for content, kind, reason in (
        (image_file("Hello"), "image/png", Unread.READER_MISSING),
        (scanned_file("Hello"), PDF, Unread.NO_TEXT),
    ):
        with pytest.raises(ExtractionFailed) as refused:
            read_text(content, kind, LIMITS)
        assert refused.value.reason == reason


def test_a_damaged_image_is_refused() -> None:
    with pytest.raises(ExtractionFailed) as refused:
        read_text(image_file("Hello")[:60], "image/png", LIMITS)

    assert refused.value.reason == Unread.DAMAGED
