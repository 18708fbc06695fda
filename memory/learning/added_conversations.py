"""Adds conversations that come through the API, and queues them to be learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.services import hold_permit
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.content_blocks import checked_blocks
from memory.exceptions import SessionArchived
from memory.learning.services import observe
from memory.models import Session
from memory.services.sessions import record_messages, session_of, start_session
from memory.types import NewMessage

ADDED_TITLE = "Added through the API"


def add_conversation(
    permit: Permit,
    user: User,
    messages: Sequence[NewMessage],
    *,
    session_id: UUID | None = None,
    group_id: UUID | None = None,
    program: str = "",
) -> OutboxMessage:
    """Record messages in the named conversation, or in a new one of ``program``, and queue them to be learned from.

    Raises ``ConsentScopeMissing``, ``ErasureInProgress``, ``ConsentOutdated``, ``NotFound``, ``SessionArchived``,
    ``SensitiveInput``, and ``ValidationFailed`` for a temporary conversation, from which nothing is learned.
    """
    permit.require_decision()
    permit.require(ConsentScope.MEMORY_LEARNING)
    hold_permit(permit)
    names = {user.name, *(message.speaker for message in messages)}
    kept = [replace(message, blocks=checked_blocks(message.blocks, names)) for message in messages]
    if session_id is None:
        session = start_session(permit, user, group_id=group_id, title=ADDED_TITLE, program=program)
    else:
        session = _open_session(permit, session_id)
    queued = observe(permit, record_messages(permit, session, kept))
    assert queued is not None  # learnable, allowed, and of a priority that is never dropped
    return queued


def _open_session(permit: Permit, session_id: UUID) -> Session:
    session = session_of(permit, session_id)
    if session.archived_at is not None:
        raise SessionArchived()
    if not session.remember:
        raise ValidationFailed(
            details={"session_id": [_("This conversation is temporary: nothing is learned from it.")]}
        )
    return session
