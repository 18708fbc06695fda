"""Inspects a file of a known kind, in the process that ``media/sandbox.py`` starts: nothing here knows Django."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, BinaryIO, Final

from media.content_types import GIF, JPEG, M4A, MP3, OGG, PDF, PNG, TEXT, WAV, WEBP, WORD
from media.scanning import audio, images, pdf, plain_text, word
from media.scanning.types import InspectedFile, InspectionLimits, RefusalReason, Refused

Outputs = Mapping[str, BinaryIO]
Inspector = Callable[[bytes, InspectionLimits, Outputs], InspectedFile]
CONTENT: Final = "content"
THUMBNAIL: Final = "thumbnail"

INSPECTORS: Final[Mapping[str, Inspector]] = {
    PNG.media_type: partial(images.inspect_image, PNG),
    JPEG.media_type: partial(images.inspect_image, JPEG),
    GIF.media_type: partial(images.inspect_image, GIF),
    WEBP.media_type: partial(images.inspect_image, WEBP),
    PDF.media_type: pdf.inspect_pdf,
    WORD.media_type: word.inspect_word,
    WAV.media_type: partial(audio.inspect_audio, WAV, audio.walk_wav),
    MP3.media_type: partial(audio.inspect_audio, MP3, audio.walk_mp3),
    OGG.media_type: partial(audio.inspect_audio, OGG, audio.walk_ogg),
    M4A.media_type: partial(audio.inspect_audio, M4A, audio.walk_mp4),
    TEXT.media_type: plain_text.inspect_text,
}


def inspect(content: bytes, arguments: Mapping[str, Any], outputs: Outputs) -> dict[str, Any]:
    """Inspect a file of the ``media_type`` given: what it is, or why it is ``refused``. A copy that is kept in its
    place is written to the output "content", and a thumbnail to "thumbnail".
    """
    try:
        limits = InspectionLimits(**arguments["limits"])
        return INSPECTORS[arguments["media_type"]](content, limits, outputs).as_json()
    except Refused as refusal:
        return {"refused": refusal.reason.value}
    except (ImportError, MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001  whatever a parser stumbles over cannot be read
        return {"refused": RefusalReason.BROKEN.value}
