"""Reads the text in images, English and Chinese (optical character recognition)."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from media.extraction.page_budget import PageBudget
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread

if TYPE_CHECKING:
    from rapidocr import RapidOCR

_LONGEST_SIDE: Final = 2_000
"""Pixels: a larger image is made smaller first; a page of paper is legible at this size."""
_LEAST_CERTAIN: Final = 0.6
_OPAQUE: Final = ("RGB", "L")


class ImageReader:
    """Reads images with RapidOCR, whose models come with it. Without it nothing is read (``reader_missing``)."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        """As ``TextReader.read``: one page."""
        pages = PageBudget(limits)
        pages.add(read_image(content))
        return pages.result("rapidocr")


def read_image(content: bytes) -> str:
    """The lines of text in an image, from top to bottom. Raises ``ExtractionFailed``."""
    found: Any = _recognizer()(_upright(content))  # the type of its answer depends on what was asked for
    return "\n".join(
        line
        for line, certainty in zip(found.txts or (), found.scores or (), strict=True)
        if certainty >= _LEAST_CERTAIN
    )


def _upright(content: bytes) -> bytes:
    """The image as a PNG, turned as its camera says, on white where it is transparent, and not too large."""
    from PIL import Image, ImageOps

    with Image.open(BytesIO(content)) as opened:
        image = ImageOps.exif_transpose(opened)
        image.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
        if image.mode not in _OPAQUE:
            layered = image.convert("RGBA")
            image = Image.new("RGB", layered.size, "white")
            image.paste(layered, mask=layered.getchannel("A"))
        shown = BytesIO()
        image.save(shown, "PNG")
    return shown.getvalue()


@cache
def _recognizer() -> RapidOCR:
    """The recognizer, with one thread: a reader gets one core. Raises ``ExtractionFailed``."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise ExtractionFailed(Unread.READER_MISSING) from error
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": _LONGEST_SIDE,
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
