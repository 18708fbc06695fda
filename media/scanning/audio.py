"""Inspects recordings: the container is walked from its first byte to its last, so that nothing hides in between."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from typing import BinaryIO, Final

from media.content_types import ContentType
from media.scanning.second_formats import require_single_format
from media.scanning.types import InspectedFile, InspectionLimits, RefusalReason, Refused

_MP4_ATOMS: Final = frozenset(
    {b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"mfra", b"sidx", b"free", b"skip", b"wide", b"udta", b"meta"}
)
_MP4_HANDLER: Final = re.compile(rb"hdlr[\s\S]{8}(soun|vide)")
_MP3_BITRATES: Final = {  # kilobits by the layer III table of MPEG 1, and of MPEG 2 and 2.5
    3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    0: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MP3_RATES: Final = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_MP3_LEAST_FRAMES: Final = 3
_MP3_END: Final = 128  # an ID3v1 tag


def inspect_audio(
    content_type: ContentType,
    walk: Callable[[bytes], None],
    content: bytes,
    limits: InspectionLimits,
    outputs: Mapping[str, BinaryIO],
) -> InspectedFile:
    """Walk a recording to its end. Raises ``Refused``."""
    require_single_format(content)
    walk(content)
    return InspectedFile(content_type.media_type)


def walk_wav(content: bytes) -> None:
    """RIFF: chunks with their sizes, ``fmt`` and ``data`` among them."""
    position, names = 12, set()
    _require(struct.unpack_from("<I", content, 4)[0] + 8 <= len(content), RefusalReason.BROKEN)
    while position + 8 <= len(content):
        name, size = content[position : position + 4], struct.unpack_from("<I", content, position + 4)[0]
        _require(name.isascii() and name.strip(b" ").isalnum(), RefusalReason.TWO_KINDS)
        names.add(name)
        position += 8 + size + size % 2
    _require(position in {len(content), len(content) + 1}, RefusalReason.TWO_KINDS)
    _require({b"fmt ", b"data"} <= names, RefusalReason.BROKEN)


def walk_ogg(content: bytes) -> None:
    """Pages, each with a table of the sizes of its segments."""
    position = 0
    while position < len(content):
        _require(content[position : position + 5] == b"OggS\x00", RefusalReason.TWO_KINDS)
        segments = content[position + 26]
        table = content[position + 27 : position + 27 + segments]
        position += 27 + segments + sum(table)
    _require(position == len(content), RefusalReason.BROKEN)
    _require(b"OpusHead" in content[:128] or b"\x01vorbis" in content[:128], RefusalReason.NOT_AS_IT_SEEMS)


def walk_mp4(content: bytes) -> None:
    """Atoms, whose handlers must be of sound alone."""
    position, names = 0, set()
    while position + 8 <= len(content):
        size, name = struct.unpack_from(">I4s", content, position)
        if size == 1:
            [size] = struct.unpack_from(">Q", content, position + 8)
        _require(name in _MP4_ATOMS and size >= 8, RefusalReason.TWO_KINDS)
        names.add(name)
        position += size
    _require(position == len(content), RefusalReason.BROKEN)
    handlers = {found[1] for found in _MP4_HANDLER.finditer(content)}
    _require(b"moov" in names and handlers == {b"soun"}, RefusalReason.NOT_AS_IT_SEEMS)


def walk_mp3(content: bytes) -> None:
    """Frames of layer III one behind the other, between tags."""
    position, frames = _id3_bytes(content), 0
    end = len(content) - _MP3_END if content[-_MP3_END:].startswith(b"TAG") else len(content)
    while position + 4 <= end and (size := _mp3_frame_bytes(content[position : position + 4])):
        position, frames = position + size, frames + 1
    _require(frames >= _MP3_LEAST_FRAMES, RefusalReason.NOT_AS_IT_SEEMS)
    rest = content[position:end]
    _require(not rest.strip(b"\x00") or len(rest) < 4, RefusalReason.TWO_KINDS)


def _id3_bytes(content: bytes) -> int:
    """How long the tag is that a recording begins with; its size has seven bits a byte."""
    if not content.startswith(b"ID3"):
        return 0
    size = 0
    for byte in content[6:10]:
        size = (size << 7) | (byte & 0x7F)
    padded = 10 + size
    while content[padded : padded + 1] == b"\x00":
        padded += 1
    return padded


def _mp3_frame_bytes(header: bytes) -> int:
    """The bytes of a frame with this header, 0 for no header."""
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bitrate, rate = header[2] >> 4, header[2] >> 2 & 3
    is_frame = header[0] == 0xFF and header[1] >= 0xE0 and version != 1 and layer == 1
    if not is_frame or rate == 3 or not 0 < bitrate < 15:
        return 0
    samples = 144 if version == 3 else 72
    return samples * 1_000 * _MP3_BITRATES[version][bitrate] // _MP3_RATES[version][rate] + (header[2] >> 1 & 1)


def _require(holds: bool, reason: RefusalReason) -> None:
    if not holds:
        raise Refused(reason)
