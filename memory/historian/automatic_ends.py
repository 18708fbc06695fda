"""Ends turns and conversations automatically, so that what users say becomes events without an ``end`` call of theirs.

Where the answering model does not end its turns itself, messages that taught something are handed to the historian soon
after. The other messages of a private conversation are handed over once nothing was said in it for a while.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.db.models.lookups import IsNull
from django.utils import timezone

from consent.permit import Permit
from consent.services import learning_permit, permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import FinClawError
from foundation.llm import model_calls_tools
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from memory.historian.services import end
from memory.historian.unreported_messages import messages_to_report
from memory.indexing.visibility import past_messages
from memory.models import ConversationEvent, Session
from memory.services import sessions
from memory.types import EndInput, EndReceipt

END_TURNS_TOPIC = "memory.end_turns"
BATCH: Final = 200  # conversations a sweep
ENDED_AT_ONCE: Final = 40
"""The most messages of one end: all their sentences must be judged within the time that one job may take."""
_ASKS_TO_FORGET: Final = re.compile(
    r"\s*+(?:(?:please|now|can you|could you)[\s,]++)*+(?:forget|delete|erase)\b"
    r"|\s*+(?:请|麻烦|帮我|你|把)*+(?:忘掉|忘了|忘记|删掉|删除|删了)",
    re.IGNORECASE,
)
"""The beginning of a message that asks to forget something. Such a message is not handed over."""
log = structlog.get_logger(__name__)


def turn_request_id(message_id: UUID) -> str:
    """The ``request_id`` of a turn's end, derived from the user's message: ended by a model and by the rules, the turn
    is ended only once.
    """
    return f"turn-{message_id}"


def end_later(user_id: UUID, session_id: UUID, said: Sequence[ConversationEvent]) -> None:
    """Queue messages of one user to be ended, together with those of the conversation that wait already.

    They wait ``END_WAIT_SECONDS``, counted from the first: a mistake that is corrected within that time reaches no
    event, and an end of the whole conversation takes them with it. Nothing is queued where the model ends its turns
    itself.
    """
    messages = [str(message.pk) for message in said if not _ASKS_TO_FORGET.match(message.text)]
    if not messages or not settings.COGNITIVE_ENABLED or model_calls_tools():
        return
    due = timezone.now() + timedelta(seconds=settings.END_WAIT_SECONDS)
    payload = {"session": str(session_id), "messages": messages}
    if not outbox.join_waiting(END_TURNS_TOPIC, user_id=user_id, payload=payload, available_at=due):
        scope = ConsentScope.MEMORY_LEARNING.value
        outbox.enqueue(END_TURNS_TOPIC, user_id=user_id, payload=payload, scope=scope, available_at=due)


def end_turns(job: Job) -> None:
    """Hand over those messages of a job that no other end has reported meanwhile and that still hold."""
    with job.completing():
        permit = learning_permit(job.user_id)
        session = Session.objects.filter(pk=job.payload["session"]).first()
        if permit is not None and session is not None:
            _end_turns(permit, session, {UUID(key) for key in job.payload["messages"]})


def _end_turns(permit: Permit, session: Session, messages: Collection[UUID]) -> None:
    request_id = turn_request_id(max(messages))
    past = past_messages(permit.user_id, messages)
    said = [
        message
        for message in messages_to_report(permit, session, request_id)
        if message.pk in messages and message.pk not in past
    ]
    if said:
        _hand_over(permit, User.objects.get(pk=permit.user_id), session, request_id, said)


def end_resting_sessions() -> int:
    """End private conversations at rest, each once for what was said since the last time; returns how many.

    At rest is a conversation in which nothing was said for ``SESSION_REST_MINUTES``. It stays open. For the schedule.
    """
    if not settings.COGNITIVE_ENABLED:
        return 0
    return sum(_end_resting_session(user_id, session_id) for user_id, session_id in _resting_sessions())


def _resting_sessions() -> list[tuple[UUID, UUID]]:
    """The conversations at rest, each as its user's id and its own.

    The first of each user, then the second of each, so that nobody waits for the thousands that somebody imports. Each
    user's oldest come first, imported ones after all others.
    """
    since = timezone.now() - timedelta(minutes=settings.SESSION_REST_MINUTES)
    resting = Session.objects.filter(group=None, remember=True, last_seq__gt=F("ended_seq"), last_active_at__lte=since)
    place = Window(RowNumber(), partition_by="user_id", order_by=(IsNull(F("brought_by"), False), "last_active_at"))
    with in_role(OPERATOR_ROLE):
        return list(resting.order_by(place, "last_active_at").values_list("user_id", "pk")[:BATCH])


def _end_resting_session(user_id: UUID, session_id: UUID) -> bool:
    try:
        with acting_as(user_id):
            user = User.objects.get(pk=user_id)
            session = Session.objects.select_for_update().get(pk=session_id)
            permit = permit_for(user)
            request_id = f"rest-{session.pk}-{session.last_seq}"
            said = messages_to_report(permit, session, request_id)
            sessions.mark_ended(session)
            parts = [said[start : start + ENDED_AT_ONCE] for start in range(0, len(said), ENDED_AT_ONCE)]
            ends = [
                _hand_over(permit, user, session, request_id, part, end_seq=number, priority=_priority_of(session))
                for number, part in enumerate(parts, 1)
            ]
            return any(receipt.queued for receipt in ends)
    except (FinClawError, Session.DoesNotExist) as error:  # most likely erased meanwhile; the others must go on
        log.warning("not_written_up", session=str(session_id), error=type(error).__name__)
        return False


def _priority_of(session: Session) -> Priority:
    """The priority of an end: what an import brought in waits for what users say now."""
    return Priority.NORMAL if session.brought_by is None else Priority.LOW


def _hand_over(
    permit: Permit,
    user: User,
    session: Session,
    request_id: str,
    said: Sequence[ConversationEvent],
    *,
    end_seq: int = 1,
    priority: Priority = Priority.NORMAL,
) -> EndReceipt:
    """Hand messages over by their ids, except those that ask to forget something."""
    request = EndInput(
        request_id=request_id,
        end_seq=end_seq,
        force=True,
        occurred_at=said[-1].occurred_at,
        message_ids=tuple(message.pk for message in said if not _ASKS_TO_FORGET.match(message.text)),
    )
    return end(permit, user, session, request, priority)
