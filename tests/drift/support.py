"""Saying what one thinks, and looking into the log: what the drift tests share."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import time_machine

from consent.services import permit_for
from drift.models import DriftSignal, Feedback
from drift.services import delayed_reopening_check, give_feedback
from foundation.accounts.models import User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from memory.models import Thread, WatchQuestion
from memory.research import watch_questions
from memory.research.types import ChangedInference
from tests.support.cast import A_MONDAY

THREE_DAYS = timedelta(days=3)
CHANGES = tuple(ChangedInference(f"before {number}", f"after {number}") for number in range(6))
GROWS = "Developer activity, fee revenue and institutional demand keep growing."
FALLS = "Repeated outages leave little upside; rotate towards bitcoin."


def rate(user: User, ref: str, rating: str, comment: str = "", at: datetime | None = None) -> Feedback:
    """What the user says of an object, at that moment or now."""
    if at is not None:
        with time_machine.travel(at, tick=False):
            return rate(user, ref, rating, comment)
    with acting_as(user.pk):
        return give_feedback(permit_for(user), user, ref, rating, comment)


def turn_round(user: User, ref: str, times: int = 1, at: datetime = A_MONDAY, apart: timedelta = timedelta(0)) -> None:
    """Rate the object up and down in turn, so that the rating is turned round so many times."""
    for number in range(times + 1):
        rate(user, ref, ("thumbs_up", "thumbs_down")[number % 2], at=at + number * (apart or timedelta(minutes=1)))


def log_of(user: User) -> list[DriftSignal]:
    """The user's drift log, the oldest first."""
    with acting_as(user.pk):
        return list(DriftSignal.objects.order_by("created_at", "id"))


def kinds(user: User) -> list[str]:
    """The kinds of the signals in the user's log, the oldest first."""
    return [signal.signal_kind for signal in log_of(user)]


def resolve_and_reopen(user: User, thread: Thread, after: timedelta = THREE_DAYS) -> WatchQuestion:
    """The thread's first question resolved now, and reopened so much later."""
    question = resolve(user, thread)
    with time_machine.travel(datetime.now(A_MONDAY.tzinfo) + after, tick=False), acting_as(user.pk):
        permit = permit_for(user)
        return watch_questions.reopen_question(permit, thread, question.pk, delayed_reopening_check(user))


def resolve(user: User, thread: Thread) -> WatchQuestion:
    """The thread's first question resolved."""
    with acting_as(user.pk):
        permit = permit_for(user)
        return watch_questions.resolve_question(permit, thread, watch_questions.questions_of(permit, thread)[0].pk)


def alerts() -> list[dict[str, Any]]:
    """What operators are told, the oldest first."""
    with in_role(WORKER_ROLE):
        return [row.payload for row in OutboxMessage.objects.filter(topic=ALERT_TOPIC).order_by("created_at")]
