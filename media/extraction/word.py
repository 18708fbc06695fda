"""Reads Word documents: paragraphs, tables, headers and footers, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile, ZipFile

from media.extraction.page_budget import PageBudget
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table as TableBlock

_MOST_UNPACKED: Final = 200 * 1024**2
_LOCKED: Final = b"\xd0\xcf\x11\xe0"
"""How a Word document with a password begins: it is no ZIP archive, but an older container around one."""


class WordReader:
    """Reads Word documents (.docx) with python-docx; the older .doc is not read."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        """As ``TextReader.read``: a document knows no pages, so it is one."""
        import docx

        if content.startswith(_LOCKED):
            raise ExtractionFailed(Unread.PASSWORD)
        _require_small(content)
        pages = PageBudget(limits)
        pages.add("\n".join(_lines(docx.Document(BytesIO(content)), limits.characters)))
        return pages.result("python-docx")


def _require_small(content: bytes) -> None:
    """Raise ``ExtractionFailed`` for an archive that unpacks to more than is read into memory."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except BadZipFile as error:
        raise ExtractionFailed(Unread.DAMAGED) from error
    if unpacked > _MOST_UNPACKED:
        raise ExtractionFailed(Unread.TOO_LARGE)


def _lines(document: Document, most: int) -> Iterator[str]:
    """The lines of a document, until ``most`` characters and one line more were given."""
    given = 0
    for line in _all_lines(document):
        yield line
        given += len(line)
        if given > most:
            return


def _all_lines(document: Document) -> Iterator[str]:
    from docx.table import Table

    for section in document.sections:
        yield from (paragraph.text for paragraph in section.header.paragraphs)
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            yield from _rows(block)
        else:
            yield block.text
    for section in document.sections:
        yield from (paragraph.text for paragraph in section.footer.paragraphs)


def _rows(table: TableBlock) -> Iterator[str]:
    for row in table.rows:
        cells = dict.fromkeys(cell.text.strip() for cell in row.cells)  # a merged cell stands there once a column
        yield " | ".join(filter(None, cells))
