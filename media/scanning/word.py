"""Inspects Word documents: a whole archive of plain XML, without macros, enclosures, outside templates and bombs.

Every part that begins as XML is read as XML, whatever its name: which programs read says the document itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from media.content_types import WORD
from media.scanning.types import InspectedFile, InspectionLimits, RefusalReason, Refused
from media.scanning.word_xml import XmlInspector, begins_as_xml

_MAIN: Final = "word/document.xml"
_TYPES: Final = "[Content_Types].xml"
_END_RECORD: Final = b"PK\x05\x06"
_END_RECORD_BYTES: Final = 22
_LOCAL_HEADER: Final = b"PK\x03\x04"
_PDF_WITHIN: Final = 1_024  # where readers look for its beginning
_IS_ENCRYPTED: Final = 0x1
_PIECE_BYTES: Final = 1 << 16
_RATIO: Final = 200
_SMALL: Final = 1 << 20  # what unpacks to less is no bomb, whatever its ratio

_ENDING: Final = r"\.(?:zip|exe|dll|docm?|docx|xls[mxb]?|html?|mht|rtf|bin)$"
_PART_NAMES: Final = (
    (
        re.compile(r"vbaproject|vbadata|activex|macrosheets|customui|\.bas$|\.vbs$|\.js$", re.I),
        RefusalReason.ACTIVE_CONTENT,
    ),
    (re.compile(rf"embeddings/|oleobject|afchunk|{_ENDING}", re.I), RefusalReason.EMBEDDED_FILES),
    (re.compile(r"(?:^|/)\.\.(?:/|$)|^/|\\|\x00"), RefusalReason.NOT_AS_IT_SEEMS),
)
_PRINTER_SETTINGS: Final = re.compile(r"^word/printerSettings/[\w.]{1,60}\.bin$", re.I)
_XML: Final = re.compile(r"\.(?:xml|rels|svg|vml)$", re.I)


def inspect_word(content: bytes, limits: InspectionLimits, outputs: Mapping[str, BinaryIO]) -> InspectedFile:
    """Read every part of a Word document. Raises ``Refused``."""
    _require_whole(content)
    with ZipFile(BytesIO(content)) as archive:
        parts = archive.infolist()
        names = {part.filename for part in parts}
        if not {_MAIN, _TYPES} <= names:
            raise Refused(RefusalReason.NOT_AS_IT_SEEMS)
        _require_plain_directory(parts, content, limits)
        unpacked = 0
        for part in parts:
            unpacked = _inspect_part(archive, part, unpacked, limits)
    return InspectedFile(WORD.media_type)


def _require_whole(content: bytes) -> None:
    """Nothing before the archive's first part, nothing behind its end."""
    if not content.startswith(_LOCAL_HEADER) or content[-_END_RECORD_BYTES:][:4] != _END_RECORD:
        raise Refused(RefusalReason.TWO_KINDS)
    if b"%PDF-" in content[:_PDF_WITHIN]:
        raise Refused(RefusalReason.TWO_KINDS)


def _require_plain_directory(parts: list[ZipInfo], content: bytes, limits: InspectionLimits) -> None:
    if len(parts) > limits.parts:
        raise Refused(RefusalReason.TOO_LARGE_INSIDE)
    if len({part.filename for part in parts}) < len(parts):
        raise Refused(RefusalReason.TWO_KINDS)  # which of two would be read?
    if sum(part.compress_size for part in parts) > len(content):
        raise Refused(RefusalReason.TOO_LARGE_INSIDE)  # parts that share their bytes
    for part in parts:
        if part.flag_bits & _IS_ENCRYPTED:
            raise Refused(RefusalReason.ENCRYPTED)
        if part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise Refused(RefusalReason.NOT_AS_IT_SEEMS)
        _require_plain_name(part.filename)


def _require_plain_name(name: str) -> None:
    if _PRINTER_SETTINGS.match(name):
        return
    for pattern, reason in _PART_NAMES:
        if pattern.search(name):
            raise Refused(reason)


def _require_in_bounds(unpacked: int, part: ZipInfo, limits: InspectionLimits) -> None:
    is_bomb = part.file_size > _SMALL and part.file_size > _RATIO * max(part.compress_size, 1)
    if is_bomb or unpacked > limits.unpacked_bytes:
        raise Refused(RefusalReason.TOO_LARGE_INSIDE)


def _inspect_part(archive: ZipFile, part: ZipInfo, unpacked: int, limits: InspectionLimits) -> int:
    """Read a part to its end, as XML where programs may read it so; returns the bytes ``unpacked`` so far, with it."""
    reader: XmlInspector | None = None
    with archive.open(part) as file:
        head = piece = file.read(_PIECE_BYTES)
        if _XML.search(part.filename) or begins_as_xml(head):
            reader = XmlInspector()
        while piece:
            unpacked += len(piece)
            _require_in_bounds(unpacked, part, limits)
            if reader is not None:
                reader.feed(piece)
            piece = file.read(_PIECE_BYTES)
    if reader is not None:
        reader.finish()
    return unpacked
