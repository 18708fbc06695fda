"""Undoes an import of chats by erasing everything that it added."""

from __future__ import annotations

from uuid import UUID

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from memory.importing.file_imports import import_of, is_anything_visible, mark_undone
from memory.models import ChatImport

UNDO_TOPIC = "memory.undo_import"


def undo_import(user: User, import_id: UUID, *, source: str) -> tuple[ChatImport, Tombstone | None]:
    """Stop an import and erase the conversations it began, with everything learned from them; call acting for the user.

    One erasure takes a batch of conversations, which are invisible at once; the others are once a worker reaches them.
    What it added to conversations of an earlier import stays. Raises ``NotFound`` for another user's import.
    """
    lock_user(user.pk)
    import_of(user.pk, import_id)
    mark_undone(import_id)
    erasure = _forget_batch(user, import_id, source)
    return import_of(user.pk, import_id), erasure


def undo_next_conversations(job: Job) -> None:
    """Erase the next conversations of an import that was undone."""
    with job.completing():
        user = User.objects.filter(pk=job.user_id).first()
        if user is not None:
            lock_user(user.pk)
            _forget_batch(user, UUID(job.payload["import"]), str(job.payload["source"]))


def _forget_batch(user: User, import_id: UUID, source: str) -> Tombstone | None:
    if not is_anything_visible(user.pk, [import_id]):
        return None
    erasure = forget(user, ErasureScope.IMPORT, str(import_id), Sources.REDACT, source=source)
    if is_anything_visible(user.pk, [import_id]):
        payload = {"import": str(import_id), "source": source}
        outbox.enqueue(UNDO_TOPIC, user_id=user.pk, payload=payload, priority=Priority.URGENT)
    return erasure
