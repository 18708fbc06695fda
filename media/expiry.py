"""Forgets files with the messages that had them as parts, where these are deleted because their retention is over."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from uuid import UUID

from django.db import transaction

from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from media import storage
from media.models import MediaFile, MediaPassage, MediaUse


def forget_with_messages(user_id: UUID, message_ids: Collection[UUID]) -> list[UUID]:
    """Delete the files that only these messages had; returns the passages of their text. Call acting for the user; the
    stored objects go when the transaction commits.
    """
    with in_role(ERASER_ROLE):
        uses = MediaUse.with_erased.filter(user_id=user_id, message_id__in=message_ids)
        touched = set(uses.values_list("media_id", flat=True))
        uses.delete()
        still = MediaUse.with_erased.filter(user_id=user_id, media_id__in=touched)
        going = touched - set(still.values_list("media_id", flat=True))
        passages = MediaPassage.with_erased.filter(user_id=user_id, media_id__in=going)
        gone = list(passages.values_list("pk", flat=True))
        MediaFile.with_erased.filter(user_id=user_id, pk__in=going).delete()
    if going:
        transaction.on_commit(partial(storage.remove, user_id, going))
    return gone
