"""Plain files of every kind that is taken, made by code."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from PIL import Image

WORD_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
WORD_RELATIONSHIPS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    "{relationships}</Relationships>"
)


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 30), color: Any = (200, 30, 30), **options: Any) -> bytes:
    """A picture of one colour."""
    target = io.BytesIO()
    Image.new("P" if kind == "GIF" else "RGB", size, 3 if kind == "GIF" else color).save(target, kind, **options)
    return target.getvalue()


def photograph(needle: str = "zqcameraqz") -> bytes:
    """A JPEG that names a camera and a place in its EXIF, and has a comment."""
    exif = Image.Exif()
    exif[0x010F] = needle  # maker
    exif[0x0112] = 6  # lies on its side
    exif.get_ifd(0x8825)[2] = (48.0, 8.0, 1.0)  # latitude
    return picture("JPEG", exif=exif, comment=needle.encode())


def png_chunk(name: bytes, data: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pdf(
    *objects: bytes, catalog: bytes = b"", trailer: bytes = b"", page: bytes = b"", before: bytes = b"", pages: int = 1
) -> bytes:
    """A PDF with empty pages; ``objects`` follow as numbers from 10 on, ``catalog`` and ``page`` add to these."""
    box = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] " + page + b" >>"
    kids = b" ".join(b"%d 0 R" % (100 + number) for number in range(pages))
    listed = [
        (1, b"<< /Type /Catalog /Pages 2 0 R " + catalog + b" >>"),
        (2, b"<< /Type /Pages /Kids [" + kids + b"] /Count %d >>" % pages),
        *((100 + number, box) for number in range(pages)),
        *((10 + number, body) for number, body in enumerate(objects)),
    ]  # fmt: skip
    written, offsets = bytearray(before + b"%PDF-1.7\n"), {}
    for number, body in listed:
        offsets[number] = len(written)
        written += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(written)
    written += b"xref\n0 1\n0000000000 65535 f \n"
    for number in sorted(offsets):
        written += b"%d 1\n%010d 00000 n \n" % (number, offsets[number])
    written += b"trailer\n<< /Size 1000 /Root 1 0 R " + trailer + b" >>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(written)


def pdf_stream(data: bytes, dictionary: bytes = b"", filters: bytes = b"/FlateDecode", *, packed: bool = True) -> bytes:
    """An object with a stream."""
    body = zlib.compress(data) if packed else data
    return b"<< /Length %d /Filter %s %s >>\nstream\n" % (len(body), filters, dictionary) + body + b"\nendstream"


def word(
    parts: Mapping[str, bytes | str] = {},
    *,
    text: str = "A word.",
    relationships: str = "",
    types: str = WORD_TYPES,
) -> bytes:
    """A Word document with further parts."""
    said = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    body = f'<?xml version="1.0"?><w:document xmlns:w="w"><w:body>{said}</w:body></w:document>'
    related = WORD_RELATIONSHIPS.format(relationships=relationships)
    plain = {"[Content_Types].xml": types, "word/document.xml": body, "word/_rels/document.xml.rels": related}
    return archive({**plain, **parts})


def relation(kind: str, target: str = "https://evil.example/a", mode: str = "External") -> str:
    """A relationship of a Word document."""
    return f'<Relationship Id="r9" Type="http://x/relationships/{kind}" Target="{target}" TargetMode="{mode}"/>'


def archive(parts: Mapping[str, bytes | str], comment: bytes = b"") -> bytes:
    """A ZIP archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
        file.comment = comment
    return target.getvalue()


def wav(seconds: float = 0.05, after: bytes = b"") -> bytes:
    """Silence."""
    data = b"\x00" * int(16_000 * seconds)
    chunks = (
        b"fmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16)
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks + after


def mp3(frames: int = 5, after: bytes = b"") -> bytes:
    """Frames of 128 kilobits at 44.1 kHz, behind an empty tag."""
    frame = b"\xff\xfb\x90\x00" + b"\x00" * 413
    return b"ID3\x04\x00\x00\x00\x00\x00\x00" + frame * frames + after


def ogg(after: bytes = b"") -> bytes:
    """One page of Opus."""
    packet = b"OpusHead\x01\x01" + b"\x00" * 9
    return b"OggS\x00\x02" + b"\x00" * 20 + bytes([1, len(packet)]) + packet + after


def atom(name: bytes, data: bytes = b"") -> bytes:
    """One atom of an MP4 file."""
    return struct.pack(">I", 8 + len(data)) + name + data


def m4a(handler: bytes = b"soun", after: bytes = b"") -> bytes:
    """A recording in MP4's container."""
    moov = atom(b"moov", atom(b"hdlr", b"\x00" * 8 + handler + b"\x00" * 12))
    return atom(b"ftyp", b"M4A \x00\x00\x02\x00") + moov + atom(b"mdat", b"\x00" * 64) + after


PLAIN: dict[str, bytes] = {
    "a.png": picture(),
    "a.jpg": picture("JPEG"),
    "photo.jpg": photograph(),
    "a.gif": picture("GIF"),
    "a.webp": picture("WEBP"),
    "a.pdf": pdf(),
    "objects.pdf": pdf(pdf_stream(b"10 0 << /Type /Font >>", b"/Type /ObjStm /N 1 /First 5")),
    "page.pdf": pdf(pdf_stream(b"BT (/JS is a name) Tj ET" * 900), catalog=b"/OpenAction [100 0 R /Fit]"),
    "a.docx": word(),
    "link.docx": word(
        relationships='<Relationship Id="r1" Type="http://x/relationships/hyperlink" Target="https://a.example/" '
        'TargetMode="External"/>'
    ),
    "photo.docx": word({"word/media/image1.png": picture()}),
    "a.wav": wav(),
    "a.mp3": mp3(),
    "a.ogg": ogg(),
    "a.m4a": m4a(),
    "a.txt": b"One line of plain text.\nAnd <b>another</b>, with x < y.\n",
    "zh.txt": "第一行。\n第二行，价格 < 100。\n".encode(),
    "gb.txt": "国标编码的一行文字，足够长。\n".encode("gb18030"),
    "utf16.txt": "Two bytes a letter\n".encode("utf-16"),
    "list.md": b"# Heading\n\n- one\n- two\n",
}
