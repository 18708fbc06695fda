"""Makes small files of every type that is read, so that no binary stands in the repository."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

import docx
from PIL import Image, ImageDraw, ImageFont

CHINESE_FONTS: Final = tuple(sorted(Path("/usr/share/fonts").rglob("*CJK*.tt[cf]")))


def word_file(*paragraphs: str, table: tuple[tuple[str, ...], ...] = (), header: str = "") -> bytes:
    """A Word document."""
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    if table:
        rows = document.add_table(len(table), len(table[0]))
        for row, cells in zip(rows.rows, table, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    if header:
        document.sections[0].header.paragraphs[0].text = header
    made = BytesIO()
    document.save(made)
    return made.getvalue()


def pdf_file(*pages: str, password: str = "") -> bytes:
    """A PDF document with the text of each page, any script: written with its character map, as Word writes it."""
    from pypdf import PdfReader, PdfWriter

    numbered: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", *_font_objects("".join(pages))]
    kids = []
    for page in pages:
        stream = _page_stream(page)
        kids.append(len(numbered) + 1)
        numbered.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (len(numbered) + 2)
        )
        numbered.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    numbered[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (listed, len(kids))
    made = _numbered_file(numbered)
    if not password:
        return made
    writer, locked = PdfWriter(clone_from=PdfReader(BytesIO(made))), BytesIO()
    writer.encrypt(password, algorithm="RC4-128")
    writer.write(locked)
    return locked.getvalue()


def image_file(text: str, *, kind: str = "PNG", size: tuple[int, int] = (1000, 260)) -> bytes:
    """A picture of a text, in black on white."""
    image, made = Image.new("RGB", size, "white"), BytesIO()
    font = ImageFont.truetype(str(CHINESE_FONTS[0]), 34) if not text.isascii() else ImageFont.load_default(34)
    ImageDraw.Draw(image).multiline_text((20, 20), text, fill="black", font=font)
    image.save(made, kind)
    return made.getvalue()


def scanned_file(text: str) -> bytes:
    """A PDF document whose only page is a picture of a text."""
    made = BytesIO()
    # A large page: small pictures in a document are ornaments, and are not read.
    Image.open(BytesIO(image_file(text, size=(1400, 1800)))).save(made, "PDF", quality=95)
    return made.getvalue()


def _page_stream(text: str) -> bytes:
    lines = [b"<%s> Tj T*" % line.encode("utf-16-be").hex().encode() for line in text.splitlines()]
    return b"BT /F1 12 Tf 14 TL 50 800 Td " + b" ".join(lines) + b" ET"


def _font_objects(text: str) -> list[bytes]:
    """A font whose character codes are UTF-16, with the map back to characters (objects 3 to 5)."""
    codes = sorted({character.encode("utf-16-be").hex() for character in text if character != "\n"})
    pairs = "\n".join(f"<{code}> <{code}>" for code in codes)
    character_map = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def\n"
        "/CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    ).encode()
    return [
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Sans /Encoding /Identity-H /DescendantFonts [4 0 R] "
        b"/ToUnicode 5 0 R >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Sans /DW 1000 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(character_map), character_map),
    ]


def _numbered_file(objects: list[bytes]) -> bytes:
    made, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        made + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(made))
    )  # fmt: skip
