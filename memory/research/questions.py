"""The questions that a thread keeps open, resolved and opened again by its person."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.services import hold
from foundation.exceptions import NotFound
from foundation.outbox.services import enqueue
from foundation.personal_data import Scope
from memory.models import Thread, WatchQuestion
from memory.research.holding import require_open

State = WatchQuestion.State
MAX_QUESTION_CHARS: Final = 500


def questions_of(permit: Permit, thread: Thread) -> QuerySet[WatchQuestion]:
    """A thread's questions, the oldest first."""
    return WatchQuestion.objects.filter(thread=thread, user_id=permit.user_id).order_by("created_at", "id")


def ask(permit: Permit, thread: Thread, questions: Iterable[str]) -> list[WatchQuestion]:
    """Keep these questions open, but for those that the thread asked before, resolved or not; answers the new ones.

    Call holding the permit.
    """
    asked = {question.casefold() for question in questions_of(permit, thread).values_list("question", flat=True)}
    new: dict[str, str] = {}
    for question in filter(None, map(as_asked, questions)):
        new.setdefault(question.casefold(), question)
    now = timezone.now()
    return [
        WatchQuestion.objects.create(
            user_id=permit.user_id,
            thread=thread,
            question=question,
            updates=[_update(State.OPEN, now.isoformat())],
            consent_version=permit.version,
        )
        for folded, question in new.items()
        if folded not in asked
    ]


def as_asked(question: str) -> str:
    """A question of a snapshot's, as a thread keeps it."""
    return question.strip()[:MAX_QUESTION_CHARS]


def resolve(permit: Permit, thread: Thread, question_id: UUID) -> WatchQuestion:
    """Call a question answered; one that is stays so. Raises ``NotFound``, ``ThreadClosed``."""
    with transaction.atomic():
        question = _held(permit, thread, question_id)
        if question.state != State.RESOLVED:
            now = timezone.now()
            question.resolved_at = now
            _enter(question, State.RESOLVED, now.isoformat())
    return question


def reopen(permit: Permit, thread: Thread, question_id: UUID, *, topic: str, delay: timedelta) -> WatchQuestion:
    """Ask a resolved question again; one that is open stays as it is. Raises ``NotFound``, ``ThreadClosed``.

    After ``delay`` the worker is handed ``{"question": id}`` under ``topic``, which looks at it without haste
    (seed A §9.2); only where ``save_to_profile`` holds, under which what it finds would be kept.
    """
    with transaction.atomic():
        question = _held(permit, thread, question_id)
        if question.state == State.RESOLVED:
            now = timezone.now()
            question.reopened_at = now
            _enter(question, State.REOPENED, now.isoformat())
            if permit.allows(Scope.SAVE_TO_PROFILE):
                _have_looked_at(question, topic, delay)
    return question


def _have_looked_at(question: WatchQuestion, topic: str, delay: timedelta) -> None:
    payload = {"question": str(question.pk)}
    enqueue(topic, user_id=question.user_id, payload=payload, scope=Scope.SAVE_TO_PROFILE.value, delay=delay)


def _held(permit: Permit, thread: Thread, question_id: UUID) -> WatchQuestion:
    hold(permit)
    open_thread = require_open(permit, thread)
    question = questions_of(permit, open_thread).select_for_update().filter(pk=question_id).first()
    if question is None:
        raise NotFound()
    return question


def _enter(question: WatchQuestion, state: str, at: str) -> None:
    question.state = state
    question.updates = [*question.updates, _update(state, at)]
    question.save()


def _update(state: str, at: str) -> dict[str, Any]:
    return {"state": str(state), "at": at}
