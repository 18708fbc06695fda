"""Inspects pictures, and draws them anew: what is kept has the same pixels and nothing besides, no place, no camera."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO, Final

from PIL import Image, ImageOps

from media.content_types import GIF, JPEG, PNG, WEBP, ContentType
from media.scanning.second_formats import require_single_format
from media.scanning.types import InspectedFile, InspectionLimits, RefusalReason, Refused

_READ_AS: Final = {PNG: "PNG", JPEG: "JPEG", GIF: "GIF", WEBP: "WEBP"}
_KEPT_AS: Final = {PNG: PNG, JPEG: JPEG, GIF: PNG, WEBP: WEBP}  # of a moving picture the first frame
_QUALITY: Final = 90
_THUMBNAIL_QUALITY: Final = 80
_WHITE: Final = (255, 255, 255)


def inspect_image(
    content_type: ContentType, content: bytes, limits: InspectionLimits, outputs: Mapping[str, BinaryIO]
) -> InspectedFile:
    """Draw a picture anew, upright, with its thumbnail. Raises ``Refused``."""
    require_single_format(content)
    Image.MAX_IMAGE_PIXELS = None  # counted below, before anything is unpacked
    with Image.open(BytesIO(content), formats=(_READ_AS[content_type],)) as opened:
        if opened.width * opened.height > limits.pixels:
            raise Refused(RefusalReason.TOO_LARGE_INSIDE)
        drawn = _pixels_of(opened)
    kept = _KEPT_AS[content_type]
    _write(drawn, kept, outputs["content"])
    width, height = drawn.size
    drawn.thumbnail((limits.thumbnail_pixels, limits.thumbnail_pixels))
    _flattened(drawn).save(outputs["thumbnail"], "JPEG", quality=_THUMBNAIL_QUALITY)
    return InspectedFile(kept.media_type, width=width, height=height)


def _pixels_of(opened: Image.Image) -> Image.Image:
    """The first frame, upright, as RGB, RGBA or grey, without what stands beside the pixels."""
    opened.load()
    upright = ImageOps.exif_transpose(opened)
    if upright.mode in {"RGBA", "LA", "PA"} or "transparency" in upright.info:
        mode = "RGBA"
    else:
        mode = "L" if upright.mode in {"1", "L"} else "RGB"
    drawn = upright.convert(mode)
    drawn.info = {}
    return drawn


def _write(drawn: Image.Image, kept: ContentType, target: BinaryIO) -> None:
    if kept is PNG:
        drawn.save(target, "PNG")
    elif kept is JPEG:
        _flattened(drawn).save(target, "JPEG", quality=_QUALITY)
    else:
        drawn.save(target, "WEBP", quality=_QUALITY)


def _flattened(drawn: Image.Image) -> Image.Image:
    """The picture on white, where it lets something through."""
    if drawn.mode != "RGBA":
        return drawn
    ground = Image.new("RGB", drawn.size, _WHITE)
    ground.paste(drawn, mask=drawn.getchannel("A"))
    return ground
