"""The files that came with messages, as the chat shows them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.urls import reverse

from consent.permit import Permit
from finclaw.web.types import TemplateData
from media.extraction.services import can_be_read_again
from media.models import MediaFile
from media.services import files_of
from memory.models import ConversationEvent


def files_by_message(permit: Permit, messages: Sequence[ConversationEvent]) -> dict[UUID, list[TemplateData]]:
    """The files of each message that has any: those of the user that are still there, and for others only that there
    was one.
    """
    named = {message.pk: _media_ids(message) for message in messages}
    wanted = {key for keys in named.values() for key in keys}
    known = files_of(permit).in_bulk(wanted) if wanted else {}
    return {message_id: [_shown(known.get(key)) for key in keys] for message_id, keys in named.items() if keys}


def _shown(file: MediaFile | None) -> TemplateData:
    thumbnail = reverse("api:media_thumbnail", args=[file.pk]) if file and file.has_thumbnail else ""
    return {"file": file, "thumbnail": thumbnail, "can_be_read_again": bool(file and can_be_read_again(file))}


def _media_ids(message: ConversationEvent) -> list[UUID]:
    return [UUID(block["media_id"]) for block in message.content if block.get("media_id")]
