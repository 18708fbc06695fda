"""Stores the statements of an export: each becomes a memory, as if its user had written it down, with its times.

Each statement is also a message in a closed conversation of the import. The message says where the memory comes from
and when it was told there. An erasure leaves a digest of the message, so that the same file brings nothing back, and an
undo of the import removes it. Nothing is learned from the message, and search finds only its memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils import timezone

from consent.permit import Permit
from foundation.accounts.models import User
from memory.confidence import EXPLICIT_CONFIDENCE
from memory.external_refs import stored_refs
from memory.importing.chats.exported_chats import STATEMENTS, ExportedChat, ExportedMessage, Validity
from memory.models import IMPORTED_FROM, ConversationEvent, MemoryItem, Session
from memory.services.history import Actor
from memory.services.items import CONFIRMED, retire, write
from memory.services.sessions import archive, mark_ended
from memory.services.versions import ItemDraft, change_fields, item_of_same_words

RULE: Final = "imported"
MOST_IMPORTS: Final = 50
"""How many imports of one program keep their statements apart; those of any further one join the last."""


def sessions_of_statements(user: User, chat: ExportedChat) -> list[Session]:
    """The conversations that hold what earlier imports, and this one so far, brought of the program's statements."""
    return list(Session.objects.filter(user=user, external_ref__in=stored_refs(user, _refs_of_imports(chat))))


def free_ref(user: User, chat: ExportedChat, taken: Sequence[Session]) -> str:
    """The first reference that no conversation has yet."""
    stored = {session.external_ref for session in taken}
    return next(name for name in _refs_of_imports(chat) if not stored & stored_refs(user, [name]).keys())


def _refs_of_imports(chat: ExportedChat) -> list[str]:
    """References of conversations of a program's statements: one for each import, so that each can be undone."""
    return [f"{chat.source}:{STATEMENTS}/{number}" for number in range(1, MOST_IMPORTS + 1)]


def keep_statements(
    permit: Permit, session: Session, told: Sequence[tuple[ExportedMessage, ConversationEvent]], source: str
) -> None:
    """Make a memory of each statement; one that no longer holds is closed at once, and replaces nothing that does.

    To be called in a transaction that holds the permit, with the messages that were recorded of them.
    """
    for statement, message in told:
        _keep(permit, statement.validity or Validity(), message, source)
    mark_ended(session)
    archive(session)


def _keep(permit: Permit, validity: Validity, message: ConversationEvent, source: str) -> None:
    now = timezone.now()
    ended = validity.invalid_at is not None and validity.invalid_at <= now
    if ended and item_of_same_words(permit, message.text, None) is not None:
        return  # an open memory says the same, so it holds again or still
    written = write(permit, _draft(validity, message, source), actor=Actor.PERSON, is_permit_held=True)
    if validity.invalid_at is None or written.event != "ADD":
        return
    if ended:
        retire(permit, written.item, at=validity.invalid_at, rule=RULE)
    elif validity.invalid_at > written.item.valid_at:
        change_fields(written.item, invalid_at=validity.invalid_at)


def _draft(validity: Validity, message: ConversationEvent, source: str) -> ItemDraft:
    return ItemDraft(
        content=message.text,
        memory_type=MemoryItem.MemoryType.INSIGHT,
        epistemic_type=MemoryItem.EpistemicType.FACT,
        provenance=CONFIRMED,
        confidence=EXPLICIT_CONFIDENCE,
        valid_at=validity.valid_at or message.occurred_at,
        source_sessions=(message.session_id,),
        detail={"rule": RULE, IMPORTED_FROM: source, "message_ids": [str(message.pk)]},
    )
