"""The images of a message for a model that sees: those in which orders were looked for, as far as there is room."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import structlog

from finclaw.brain.types import AttachedFile
from foundation.database.acting_user import acting_as
from foundation.llm import model_sees_images
from media.extraction.types import Unread
from media.models import MediaFile
from media.services import read_file

IMAGE_UNSEEN: Final = "image_unseen"
"""The degraded reason of an answer whose model was not shown an image, for want of room or of its content."""
MOST_IMAGE_BYTES: Final = 6_000_000
"""A larger image is not shown to a model: servers refuse it."""
MOST_IMAGES: Final = 4
MOST_BYTES: Final = 12_000_000
"""Of the images of one message together: they are held until the model has answered."""
log = structlog.get_logger(__name__)


def seeable_images(files: Sequence[AttachedFile]) -> list[MediaFile]:
    """The images that may be shown to a model: those read whole, since orders may stand in them."""
    return [attached.file for attached in files if _is_seeable(attached.file)] if model_sees_images() else []


def images_to_show(files: Sequence[AttachedFile]) -> list[MediaFile]:
    """The images that a model is to see: the first ones, as far as there is room."""
    shown, room = list[MediaFile](), MOST_BYTES
    for file in seeable_images(files):
        if len(shown) < MOST_IMAGES and file.stored_size <= room:
            shown.append(file)
            room -= file.stored_size
    return shown


def image_part(user_id: UUID, file: MediaFile) -> dict[str, Any] | None:
    """An image as OpenAI's protocol writes it, its bytes in the address; None where it cannot be opened."""
    try:
        with acting_as(user_id):
            content = read_file(file)
    except Exception as error:  # noqa: BLE001  what an outside storage raises is not ours to know
        log.warning("image_not_opened", error=type(error).__name__)
        return None
    address = f"data:{file.media_type};base64,{b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": address}}


def _is_seeable(file: MediaFile) -> bool:
    is_read_whole = file.text_state == MediaFile.TextState.READ and not file.text_is_cut
    was_looked_at = is_read_whole or file.unread_reason == Unread.NO_TEXT
    return file.kind == MediaFile.Kind.IMAGE and was_looked_at and file.stored_size <= MOST_IMAGE_BYTES
