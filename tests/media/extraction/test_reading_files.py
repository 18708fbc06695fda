"""The text of files of each type, in both languages, and why one was not read."""

from __future__ import annotations

import pytest

from media.extraction.passages import split_passages
from media.extraction.plain_text import decode_text
from media.extraction.readers import PDF, WORD, read_text
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread
from tests.support.made_files import pdf_file, word_file

LIMITS = ExtractionLimits()
ENGLISH = "The quarterly review is on Friday.\nRevenue rose by 4.2 % to €12,400."
CHINESE = "季度复盘会在星期五。\n收入增长了百分之四点二，利润率也上升了。"
TRADITIONAL = "這個季度的會議在星期五，我們來說明收入為何增長。"


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "cp1252"])
def test_plain_text_is_read_in_the_encodings_that_people_have(text: str, encoding: str) -> None:
    if encoding == "cp1252" and text == CHINESE:
        pytest.skip("has no Chinese")
    if encoding == "gb18030" and text == ENGLISH:
        pytest.skip("nobody writes English so")

    assert read_text(text.encode(encoding), "text/plain", LIMITS).text == text


def test_old_encodings_of_chinese_and_of_western_letters_are_told_apart() -> None:
    assert decode_text(TRADITIONAL.encode("big5")) == TRADITIONAL
    assert decode_text("在会上我们说了这个".encode("gb18030")) == "在会上我们说了这个"
    assert decode_text("Müller grüßt René à Besançon".encode("cp1252")) == "Müller grüßt René à Besançon"


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_pdf_pages_are_read_in_order(text: str) -> None:
    read = read_text(pdf_file(text, "Second page 第二页"), PDF, LIMITS)

    assert read == ExtractedText((text, "Second page 第二页"), ("pypdf",))


def test_a_blank_page_is_counted() -> None:
    read = read_text(pdf_file("", "second", "", "fourth"), PDF, LIMITS)

    assert split_passages(read.pages) == [(2, "second"), (4, "fourth")]
    assert read.text == "second\n\nfourth"


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_word_documents_are_read_with_their_tables_and_headers(text: str) -> None:
    read = read_text(
        word_file(*text.splitlines(), table=(("Name", "数量"), ("茶", "3")), header="Draft 草稿"), WORD, LIMITS
    )

    assert read.text == f"Draft 草稿\n{text}\nName | 数量\n茶 | 3"


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        (pdf_file("secret", password="s3cret"), PDF, Unread.PASSWORD),
        (pdf_file(""), PDF, Unread.NO_TEXT),
        (b"%PDF-1.7 and nothing more", PDF, Unread.DAMAGED),
        (b"PK\x03\x04 no archive", WORD, Unread.DAMAGED),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", WORD, Unread.PASSWORD),
        (b" \n ", "text/plain", Unread.NO_TEXT),
        (b"\x00\x01\x02\x03", "text/plain", Unread.DAMAGED),
        (b"ID3", "audio/mpeg", Unread.NO_READER),
        (b"PK", "application/zip", Unread.NO_READER),
    ],
)
def test_a_file_that_is_not_read_says_why(content: bytes, kind: str, reason: Unread) -> None:
    with pytest.raises(ExtractionFailed) as refused:
        read_text(content, kind, LIMITS)

    assert refused.value.reason == reason


def test_what_lies_beyond_the_limits_is_left_out_and_said_to_be() -> None:
    few_pages = read_text(pdf_file("one", "two", "three"), PDF, ExtractionLimits(pages=2))
    few_characters = read_text(b"0123456789", "text/plain", ExtractionLimits(characters=4))
    exact = read_text(pdf_file("one", "two"), PDF, ExtractionLimits(pages=2))

    assert few_pages == ExtractedText(("one", "two"), ("pypdf",), is_cut=True)
    assert few_characters == ExtractedText(("0123",), ("plain_text",), is_cut=True)
    assert not exact.is_cut


def test_characters_that_no_database_stores_are_left_out() -> None:
    read = read_text(b"a\x07b\r\n\n\n\n\nc \n", "text/plain", LIMITS)

    assert read.text == "ab\n\nc"
