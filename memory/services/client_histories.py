"""Finds a conversation by the history that a client program sends with each message: most programs send no id.

An HMAC of the history under the user's own key is stored in the conversation's row. Whoever sends the same messages
again continues the same conversation; an edited history begins a new conversation that starts with these messages.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import SAID, screen_text
from foundation.accounts.models import User
from foundation.exceptions import require_found
from memory.content_blocks import message_pieces
from memory.models import ConversationEvent, Session
from memory.services.awaited_tools import AwaitedRound, pending_tool_calls
from memory.services.sessions import (
    RECENT_MESSAGES,
    message_before,
    messages_of,
    record_messages,
    session_of,
    start_session,
)
from memory.types import IMPORTED_ASSISTANT, AnswerPlace, HistoryLine, NewMessage, RepeatedQuestion


def history_hash(user: User, lines: Sequence[HistoryLine]) -> str:
    """The HMAC of a history under the user's key; white space in its messages makes no difference."""
    told = [[line.role, " ".join(line.text.split())] for line in lines]
    return hmac.new(bytes(user.content_key), json.dumps(told).encode(), hashlib.sha256).hexdigest()


def session_of_history(
    permit: Permit, user: User, lines: Sequence[HistoryLine], *, temporary: bool = False
) -> Session | None:
    """The user's open conversation in which exactly this was said; None without a message, or where there is none.
    ``temporary`` looks among the temporary ones alone.
    """
    if not lines:
        return None
    mine = Session.objects.filter(user_id=permit.user_id, group=None, archived_at=None)
    if temporary:
        mine = mine.filter(remember=False)
    return mine.filter(history_hash=history_hash(user, lines)).first()


def history_messages(user: User, lines: Sequence[HistoryLine]) -> list[NewMessage]:
    """The latest of these messages in the form to record them; one that is too long is split into several. Messages
    with sensitive content that must not be stored are left out. No query is made: call outside any transaction.
    """
    found: list[NewMessage] = []
    for line in lines[-RECENT_MESSAGES:]:
        with suppress(SensitiveInput):  # screened as a whole: splitting could divide something sensitive
            text = screen_text(SAID, line.text, [user.name]).text
            speaker = user.name if line.role == "user" else IMPORTED_ASSISTANT
            found += [NewMessage.of_text(line.role, piece, speaker, echo=True) for piece in message_pieces(text)]
    return found[-RECENT_MESSAGES:]


def begin_from_history(
    permit: Permit,
    user: User,
    lines: Sequence[HistoryLine],
    said: Sequence[NewMessage],
    *,
    program: str = "",
    remember: bool = True,
) -> Session:
    """Open a conversation that begins with what was ``said``; nothing is learned from it. It is found by ``lines``
    until its first turn is stored, so that a turn that failed is tried again in it. Raises ``ProfileConsentRequired``.
    """
    found_by = next_history_hash(user, lines, "")
    session = start_session(permit, user, program=program, remember=remember, history_hash=found_by)
    if said:
        record_messages(permit, session, said)
    return session


def next_history_hash(user: User, lines: Sequence[HistoryLine], answer: str) -> str:
    """The hash of the history that the program will send next: what it sent and the ``answer``, "" for none yet. It is
    "" without ``lines``: the program names its conversation.
    """
    known = [*lines, HistoryLine("assistant", answer)] if answer else lines
    return history_hash(user, known) if lines else ""


def awaiting_question(
    permit: Permit, user: User, session: Session, lines: Sequence[HistoryLine]
) -> RepeatedQuestion | None:
    """The last of these messages, if the conversation ends with it and an answer that waits for results of the
    program's tools; else None.
    """
    last = ConversationEvent.objects.filter(session=session, user_id=permit.user_id, redacted_at=None).not_replaced()
    answer, question = (*last.order_by("-seq")[:2], None, None)[:2]
    if answer is None or question is None or (question.role, answer.role) != ("user", "assistant"):
        return None
    is_kept = pending_tool_calls(session, answer.pk) and lines[-1].text.split() == question.text.split()
    if not is_kept and session.history_hash != history_hash(user, lines):
        return None
    place = AnswerPlace(answer.pk, answer.seq)
    return RepeatedQuestion(
        question.pk, session.pk, tuple(question.content), question.occurred_at, place, awaits_tools=True
    )


@dataclass(frozen=True)
class AnswerContinuation:
    """Where a program continues that names an earlier answer.

    If the answer is the last message, ``session_id`` is its conversation. If it waits for tools, ``awaited`` are its
    rounds of tool calls, the last of which is pending, and ``asked`` is the user's message before them.

    If there are later messages, ``session_id`` is None, and a new conversation begins with ``lines``, the messages up
    to the answer. It is temporary (``remember`` off) if that of the answer is.
    """

    session_id: UUID | None
    asked: str = ""
    awaited: tuple[AwaitedRound, ...] = ()
    lines: tuple[HistoryLine, ...] = ()
    remember: bool = True


def continue_after(permit: Permit, answer: ConversationEvent) -> AnswerContinuation:
    """Where a message belongs that follows on an answer which the user was given."""
    session, question = answer.session, message_before(answer)
    if session.last_seq == answer.seq:
        awaited = tuple(pending_tool_calls(session, answer.pk)) if question else ()
        asked = question.text if question and awaited else ""
        return AnswerContinuation(session.pk, asked, awaited, remember=session.remember)
    said = messages_of(session).filter(user_id=permit.user_id, redacted_at=None, seq__lte=answer.seq)
    latest = list(said.order_by("-seq")[:RECENT_MESSAGES])[::-1]
    lines = tuple(HistoryLine(_role_of(event), event.text) for event in latest)
    return AnswerContinuation(None, lines=lines, remember=session.remember)


def answer_of(permit: Permit, answer_id: UUID) -> ConversationEvent:
    """An answer that the user was given. Raises ``NotFound``, also for one that another answer has replaced."""
    mine = ConversationEvent.objects.filter(pk=answer_id, user_id=permit.user_id, redacted_at=None).not_replaced()
    answer = require_found(mine.filter(role=ConversationEvent.Role.ASSISTANT).select_related("session").first())
    session_of(permit, answer.session_id)
    return answer


def _role_of(event: ConversationEvent) -> Literal["user", "assistant"]:
    return "assistant" if event.role == ConversationEvent.Role.ASSISTANT else "user"
