"""The kinds of files that are taken, told by the first bytes of their content; names and headers are never asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

HEAD_BYTES: Final = 4_096
"""How much of a file's beginning is enough to tell."""


@dataclass(frozen=True)
class ContentType:
    """One kind of file: its MIME type, the ending that its name gets, and the ``MediaFile.Kind``."""

    media_type: str
    ending: str
    kind: str


PNG: Final = ContentType("image/png", "png", "image")
JPEG: Final = ContentType("image/jpeg", "jpg", "image")
GIF: Final = ContentType("image/gif", "gif", "image")
WEBP: Final = ContentType("image/webp", "webp", "image")
PDF: Final = ContentType("application/pdf", "pdf", "document")
WORD: Final = ContentType("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx", "document")
WAV: Final = ContentType("audio/wav", "wav", "audio")
MP3: Final = ContentType("audio/mpeg", "mp3", "audio")
OGG: Final = ContentType("audio/ogg", "ogg", "audio")
M4A: Final = ContentType("audio/mp4", "m4a", "audio")
TEXT: Final = ContentType("text/plain", "txt", "text")

CONTENT_TYPES: Final = {
    known.media_type: known for known in (PNG, JPEG, GIF, WEBP, PDF, WORD, WAV, MP3, OGG, M4A, TEXT)
}

_BEGINNINGS: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), PNG),
    (re.compile(rb"\xff\xd8\xff"), JPEG),
    (re.compile(rb"GIF8[79]a"), GIF),
    (re.compile(rb"RIFF[\s\S]{4}WEBP"), WEBP),
    (re.compile(rb"%PDF-[12]\.[0-9]"), PDF),
    (re.compile(rb"PK\x03\x04"), WORD),  # any other archive is refused by the scanner, which reads its directory
    (re.compile(rb"RIFF[\s\S]{4}WAVE"), WAV),
    (re.compile(rb"ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]"), MP3),
    (re.compile(rb"OggS\x00"), OGG),
    (re.compile(rb"[\s\S]{4}ftyp(?:M4A |M4B |mp42|isom|dash)"), M4A),
)
# What a program runs or a browser draws, and letters with enclosures: text by its bytes, and never plain text.
_RUNS: Final = re.compile(
    rb"\s*+(?:#!|<\?|<!doctype|<!--|<html|<head|<body|<svg|<script|<!entity|\{\\rtf|%!ps|@echo|mime-version:|MZ)", re.I
)
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_UTF_8_MARK: Final = b"\xef\xbb\xbf"
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def type_of(head: bytes) -> ContentType | None:
    """The kind of file that begins so; None for one that is not taken."""
    for beginning, content_type in _BEGINNINGS:
        if beginning.match(head):
            return content_type
    return TEXT if head and looks_like_text(head) else None


def looks_like_text(head: bytes) -> bool:
    """Whether a file that begins so may be plain text, in UTF-8, UTF-16 with its mark, or GB 18030."""
    if head.startswith(_UTF_16):
        encoding = "utf-16-le" if head.startswith(_UTF_16[0]) else "utf-16-be"
        head = head[2:].decode(encoding, errors="ignore").encode()
    return not _CONTROLS.search(head) and not _RUNS.match(head.removeprefix(_UTF_8_MARK))
