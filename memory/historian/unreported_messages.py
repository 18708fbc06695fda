"""Finds the messages of a conversation that no ``end`` call has reported to the historian yet."""

from __future__ import annotations

from typing import Final

from consent.permit import Permit
from consent.services import scope_held_since
from foundation.personal_data import ConsentScope
from memory.models import CognitiveJob, ConversationEvent, Session
from memory.services import sessions

MESSAGES_LOOKED_BACK: Final = 200  # messages of the user's


def messages_to_report(permit: Permit, session: Session, request_id: str) -> list[ConversationEvent]:
    """The user's messages that no end before ``request_id`` reported, oldest first; only learnable ones.

    An end that names messages has reported these; one that names none has reported everything said before it. In a
    group too only the user's own messages are found: everybody else's belong to them.
    """
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return []
    said = sessions.messages_of(session).filter(
        user_id=permit.user_id,
        role=ConversationEvent.Role.USER,
        learnable=True,
        redacted_at=None,
        consent_version__gte=scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING),
    )
    ends = CognitiveJob.objects.filter(user_id=permit.user_id, session=session).exclude(request_id=request_id)
    told_until = ends.filter(message_ids=[]).order_by("-created_at").values_list("created_at", flat=True).first()
    if told_until is not None:
        said = said.filter(created_at__gt=told_until)
    if session.group_id is None and not _is_known(permit, session, request_id):
        said = said.filter(seq__gt=session.ended_seq)
    named = {key for keys in ends.exclude(message_ids=[]).values_list("message_ids", flat=True) for key in keys}
    return list(said.exclude(pk__in=named).reverse()[:MESSAGES_LOOKED_BACK])[::-1]


def _is_known(permit: Permit, session: Session, request_id: str) -> bool:
    """Whether this very end was reported before: repeating it must find the same messages."""
    return CognitiveJob.objects.filter(user_id=permit.user_id, session=session, request_id=request_id).exists()
