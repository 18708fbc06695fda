"""Inspects plain text, and keeps it as UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import BinaryIO, Final

from media.content_types import HEAD_BYTES, TEXT, looks_like_text
from media.scanning.types import InspectedFile, InspectionLimits, RefusalReason, Refused

_MARKED: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNMARKED: Final = ("utf-8", "gb18030")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


def inspect_text(content: bytes, limits: InspectionLimits, outputs: Mapping[str, BinaryIO]) -> InspectedFile:
    """Read the text to its end. Raises ``Refused`` for what is no text."""
    text = _decoded(content)
    if _CONTROLS.search(text) or not text.strip() or not looks_like_text(text[:HEAD_BYTES].encode()):
        raise Refused(RefusalReason.NOT_AS_IT_SEEMS)
    kept = text.encode()
    if kept != content:
        outputs["content"].write(kept)
    return InspectedFile(TEXT.media_type)


def _decoded(content: bytes) -> str:
    encodings = next(((encoding,) for mark, encoding in _MARKED if content.startswith(mark)), _UNMARKED)
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise Refused(RefusalReason.NOT_AS_IT_SEEMS)
