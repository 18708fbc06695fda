"""Undoing an import: everything it brought is forgotten, by the erasures that forget anything else."""

from __future__ import annotations

from uuid import UUID

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from memory.importing.chats.services import import_of, mark_undone
from memory.models import ChatImport, Session


def undo_import(user: User, import_id: UUID, *, source: str) -> tuple[ChatImport, list[Tombstone]]:
    """Stop an import and forget the conversations it began, with everything learned from them; call acting for its
    person. What it added to conversations of an earlier import stays with these.

    Raises ``NotFound`` for an import of somebody else's.
    """
    lock_user(user.pk)
    import_of(user.pk, import_id)
    mark_undone(import_id)
    began = Session.objects.filter(user=user, brought_by=import_id)
    erasures = []
    while began.exists():
        erasures.append(forget(user, ErasureScope.IMPORT, str(import_id), Sources.REDACT, source=source))
    return import_of(user.pk, import_id), erasures
