"""Finds the conversation that a program's message belongs to: the one it names, or the one whose history it sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.types import ProgramRequest, TurnRequest
from finclaw.openai_api.chat_messages import ChatMessages
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from memory.models import Session
from memory.services.client_histories import awaiting_question, session_of_history
from memory.services.sessions import session_of

SESSION_HEADER: Final = "X-FinClaw-Session"


def known_turn(
    permit: Permit, user: User, chat: ChatMessages, blocks: Sequence[dict[str, Any]], program: ProgramRequest,
    *, named: str | None, reply_id: UUID, temporary: bool = False,
) -> TurnRequest | None:  # fmt: skip
    """The turn that answers a chat in the conversation it belongs to; None where there is no such conversation yet.
    Raises ``NotFound`` if the one ``named`` is not the user's, and ``ProfileConsentRequired``. ``temporary`` searches
    only among temporary conversations, which are not remembered.
    """
    permit.require_decision()
    session = _named_session(permit, named) if named else _known_session(permit, user, chat, temporary)
    if session is None:
        return None
    repeats = awaiting_question(permit, user, session, chat.known) if chat.rounds else None
    if repeats is not None:
        return TurnRequest(repeats.session_id, repeats.blocks, reply_id, repeats, program)
    return TurnRequest(session.pk, tuple(blocks), reply_id, program=program)


def _known_session(permit: Permit, user: User, chat: ChatMessages, temporary: bool) -> Session | None:
    awaiting = session_of_history(permit, user, chat.known, temporary=temporary) if chat.rounds else None
    return awaiting or session_of_history(permit, user, chat.history, temporary=temporary)


def _named_session(permit: Permit, named: str) -> Session:
    try:
        session_id = UUID(named)
    except ValueError:
        raise NotFound() from None
    return session_of(permit, session_id)
