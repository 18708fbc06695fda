"""Saying things in tests, through the product's own doors."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F

from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.learning.services import observe
from memory.models import ConversationEvent, MemoryItem, Session
from memory.services import item_queries, sessions
from memory.types import NewMessage


def open_session(user: User, **fields: object) -> Session:
    """A new conversation of the user's."""
    with acting_as(user.pk):
        return sessions.start_session(permit_for(user), user, **fields)  # type: ignore[arg-type]


def say(
    user: User, session: Session, *texts: str, at: datetime | None = None, learn: bool = True
) -> list[ConversationEvent]:
    """The user says each text; with ``learn`` the worker indexes and analyses them at once."""
    with acting_as(user.pk):
        permit = permit_for(user)
        messages = [NewMessage.of_text("user", text, user.name, occurred_at=at) for text in texts]
        events = sessions.record_messages(permit, session, messages)
        if learn:
            observe(permit, events)
    if learn:
        drain()
    return events


def memories(user: User, **filters: object) -> list[MemoryItem]:
    """The user's items, oldest first."""
    with acting_as(user.pk):
        return list(item_queries.items_of(permit_of(user)).filter(**filters).order_by("created_at", "id"))


def permit_of(user: User) -> Permit:
    """The permit that holds now, to be used under ``acting_as``."""
    with acting_as(user.pk):
        return permit_for(user)


def age_turn(user: User, session: Session, span: timedelta) -> None:
    """Have the conversation's turn have begun so much earlier; ``session`` still carries its mark."""
    assert session.turn_started_at is not None
    with acting_as(user.pk):
        Session.objects.filter(pk=session.pk).update(turn_started_at=F("turn_started_at") - span)
    session.turn_started_at -= span
