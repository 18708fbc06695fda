"""Inspects PDF: nothing in it may act, load, hide another file, be locked, or unpack to more than is allowed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import BinaryIO, Final, cast

from pypdf import PdfReader
from pypdf.generic import StreamObject

from media.content_types import PDF
from media.scanning.second_formats import require_single_format
from media.scanning.types import InspectedFile, InspectionLimits, RefusalReason, Refused

_ESCAPE: Final = re.compile(rb"#([0-9a-fA-F]{2})")
_END: Final = rb"[\s/<>\[\](){}%]"
_STREAM: Final = re.compile(rb"stream[ \t]*+(?:\r\n?|\n)")
_END_STREAM: Final = b"endstream"
_DICTIONARY_BYTES: Final = 4_096  # before its stream
_AFTER_END: Final = 1_024
_FLATE: Final = re.compile(rb"/(?:FlateDecode|Fl)" + _END)
_FILTER: Final = re.compile(rb"/(?:FlateDecode|LZWDecode|RunLengthDecode|ASCII85Decode|ASCIIHexDecode)" + _END)
_HOLDS_OBJECTS: Final = re.compile(rb"/ObjStm|/First\s")
_NAMES_OBJECTS: Final = b"/ObjStm"
_PACKED: Final = re.compile(rb"/(?:Filter|DecodeParms|DP)" + _END)
_PACKED_ONCE: Final = re.compile(rb"/Filter\s*+(?:/FlateDecode|\[\s*+/FlateDecode\s*+\])" + _END)
_BEGINS_AS_OBJECTS: Final = re.compile(rb"\s*+[0-9]+\s+[0-9]+\s")
_WORKED_AT_ONCE: Final = 1 << 16
_ALL_STREAMS: Final = 10  # times what one may unpack to

# Names that no compressed data holds by chance are looked for everywhere, also where a comment could fake a stream.
_ANYWHERE: Final = {
    RefusalReason.ACTIVE_CONTENT: re.compile(
        rb"/(?:JavaScript|Launch|RichMedia|SubmitForm|ImportData|Rendition|GoToE)" + _END
    ),
    RefusalReason.EMBEDDED_FILES: re.compile(rb"/(?:EmbeddedFiles?|FileAttachment)" + _END),
}
# Short names, between the streams alone.
_OUTSIDE_STREAMS: Final = {
    RefusalReason.ACTIVE_CONTENT: re.compile(rb"/(?:JS|XFA)" + _END),
    RefusalReason.ENCRYPTED: re.compile(rb"/Encrypt" + _END),
}


def inspect_pdf(content: bytes, limits: InspectionLimits, outputs: Mapping[str, BinaryIO]) -> InspectedFile:
    """Read a PDF's objects, those in compressed streams too. Raises ``Refused``."""
    require_single_format(content, markup=False, pdf=False)
    _require_end(content)
    _require_none(_ANYWHERE, _without_escapes(content))
    unpacked = 0
    outside = []
    position = 0
    for start, end in _streams(content):
        before = content[position:start]
        outside.append(before)
        position = end
        dictionary = _without_escapes(before[-_DICTIONARY_BYTES:].rpartition(b"obj")[2]) + b" "
        if _HOLDS_OBJECTS.search(dictionary) or _NAMES_OBJECTS in _without_escapes(before):
            unpacked += _inspect_objects(dictionary, content, start, end, limits)
        else:
            unpacked += _inspect_stream(dictionary, content, start, end, limits)
        if unpacked > _ALL_STREAMS * limits.unpacked_bytes:
            raise Refused(RefusalReason.TOO_LARGE_INSIDE)
    _require_quiet(_without_escapes(b" ".join([*outside, content[position:], b" "])))
    return InspectedFile(PDF.media_type, pages=_read_structure(content, limits))


def _require_end(content: bytes) -> None:
    _, mark, after = content.rpartition(b"%%EOF")
    if not mark:
        raise Refused(RefusalReason.BROKEN)
    if len(after.strip(b"\x00\r\n\t ")) > _AFTER_END:
        raise Refused(RefusalReason.TWO_KINDS)


def _streams(content: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of the data of each stream, as far as its end's mark says so."""
    position = 0
    while found := _STREAM.search(content, position):
        start = found.end()
        end = content.find(_END_STREAM, start)
        if end < 0:
            return
        yield start, end
        position = end + len(_END_STREAM)


def _inspect_stream(dictionary: bytes, content: bytes, start: int, end: int, limits: InspectionLimits) -> int:
    """Unpack a stream as far as is allowed; returns its unpacked bytes."""
    if len(_FILTER.findall(dictionary)) > 2 or len(_FLATE.findall(dictionary)) > 1:
        raise Refused(RefusalReason.TOO_LARGE_INSIDE)  # packed twice: only bombs are
    if _FLATE.search(dictionary):
        return _unpacked(memoryview(content)[start:end], limits.unpacked_bytes, keep=False)[1]
    return end - start


def _inspect_objects(dictionary: bytes, content: bytes, start: int, end: int, limits: InspectionLimits) -> int:
    """Look through the objects of a stream, which is packed as programs write it or not at all; returns its unpacked
    bytes.
    """
    if _PACKED_ONCE.search(dictionary) and len(_PACKED.findall(dictionary)) == 1:
        # Its own end counts, not a mark that it may hold itself.
        objects, size = _unpacked(memoryview(content)[start:], limits.unpacked_bytes, keep=True)
    elif _PACKED.search(dictionary):
        raise Refused(RefusalReason.NOT_AS_IT_SEEMS)
    else:
        objects, size = content[start:end], end - start
    _require_quiet(_without_escapes(objects) + b" ")
    if not _BEGINS_AS_OBJECTS.match(objects):
        raise Refused(RefusalReason.NOT_AS_IT_SEEMS)
    return size


def _unpacked(data: memoryview, most: int, *, keep: bool) -> tuple[bytes, int]:
    """The unpacked data where it is to be kept, and its size."""
    unpacker, size = zlib.decompressobj(), 0
    kept: list[bytes] = []
    for position in range(0, len(data), _WORKED_AT_ONCE):
        waiting = bytes(data[position : position + _WORKED_AT_ONCE])
        while waiting and not unpacker.eof:
            try:
                piece = unpacker.decompress(waiting, 16 * _WORKED_AT_ONCE)
            except zlib.error:
                return b"".join(kept), size  # broken data is drawn by nobody either
            waiting = unpacker.unconsumed_tail
            size += len(piece)
            if keep:
                kept.append(piece)
            if size > most:
                raise Refused(RefusalReason.TOO_LARGE_INSIDE)
        if unpacker.eof:
            break
    return b"".join(kept), size


def _without_escapes(content: bytes) -> bytes:
    """The content with ``#4a`` in its names written as the letter it stands for."""
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), content)


def _require_quiet(objects: bytes) -> None:
    """Raise ``Refused`` for objects that act, load, hide a file or lock the rest."""
    _require_none(_ANYWHERE, objects)
    _require_none(_OUTSIDE_STREAMS, objects)


def _require_none(patterns: Mapping[RefusalReason, re.Pattern[bytes]], names: bytes) -> None:
    for reason, pattern in patterns.items():
        if pattern.search(names):
            raise Refused(reason)


def _read_structure(content: bytes, limits: InspectionLimits) -> int:
    """Read the file as readers do, and look through what they unpack of objects; returns the number of pages."""
    reader = PdfReader(BytesIO(content))
    if reader.is_encrypted:
        raise Refused(RefusalReason.ENCRYPTED)
    unpacked = 0
    for number in {stream for stream, _ in reader.xref_objStm.values()}:
        objects = cast("StreamObject", reader.get_object(number)).get_data()
        unpacked += len(objects)
        if unpacked > limits.unpacked_bytes:
            raise Refused(RefusalReason.TOO_LARGE_INSIDE)
        _require_quiet(_without_escapes(objects) + b" ")
    pages = len(reader.pages)
    if not pages:
        raise Refused(RefusalReason.BROKEN)
    if pages > limits.pages:
        raise Refused(RefusalReason.TOO_LARGE_INSIDE)
    return pages
