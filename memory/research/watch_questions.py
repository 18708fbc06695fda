"""Adds, resolves and reopens the questions that a thread keeps open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.services import hold_permit
from foundation.exceptions import require_found
from foundation.language import (
    normalize,
)
from foundation.outbox.services import enqueue
from foundation.personal_data import ConsentScope
from memory.models import Thread, WatchQuestion
from memory.research.write_guards import require_open

State = WatchQuestion.State
MAX_QUESTION_CHARS: Final = 500


@dataclass(frozen=True)
class DelayedLook:
    """How a reopened question is looked at later: after ``delay`` a job gets ``{"question": id}`` under ``topic``."""

    topic: str
    delay: timedelta


def questions_of(permit: Permit, thread: Thread) -> QuerySet[WatchQuestion]:
    """A thread's questions, the oldest first."""
    return WatchQuestion.objects.filter(thread=thread, user_id=permit.user_id).order_by("created_at", "id")


def add_watch_questions(
    permit: Permit, thread: Thread, questions: Iterable[str], look: DelayedLook | None = None
) -> None:
    """Keep these questions open, none of them twice; one that the user had resolved is reopened.

    Without ``look``, as for a new thread, a resolved one stays resolved. Call while holding the permit and the thread.
    """
    asked = {normalize(question.question): question for question in questions_of(permit, thread).select_for_update()}
    for question in filter(None, map(normalized_question, questions)):
        before = asked.get(normalize(question))
        if before is None:
            asked[normalize(question)] = _create(permit, thread, question)
        elif look is not None:
            _open_again(permit, before, look)


def _create(permit: Permit, thread: Thread, question: str) -> WatchQuestion:
    return WatchQuestion.objects.create(
        user_id=permit.user_id,
        thread=thread,
        question=question,
        updates=[_update_entry(State.OPEN, timezone.now().isoformat())],
        consent_version=permit.version,
    )


def normalized_question(question: str) -> str:
    """A snapshot's question in the form that a thread keeps."""
    return question.strip()[:MAX_QUESTION_CHARS]


def resolve_question(permit: Permit, thread: Thread, question_id: UUID) -> WatchQuestion:
    """Mark a question as resolved; one that is stays so. Raises ``NotFound``, ``ThreadClosed``."""
    with transaction.atomic():
        question = _locked_question(permit, thread, question_id)
        if question.state != State.RESOLVED:
            now = timezone.now()
            question.resolved_at = now
            _enter_state(question, State.RESOLVED, now.isoformat())
    return question


def reopen_question(permit: Permit, thread: Thread, question_id: UUID, look: DelayedLook) -> WatchQuestion:
    """Reopen a resolved question; one that is open stays as it is. Raises ``NotFound``, ``ThreadClosed``."""
    with transaction.atomic():
        question = _locked_question(permit, thread, question_id)
        _open_again(permit, question, look)
    return question


def _open_again(permit: Permit, question: WatchQuestion, look: DelayedLook) -> None:
    """Reopen a question.

    A job looks at it later only with ``save_to_profile``, the scope under which its findings are stored.
    """
    if question.state != State.RESOLVED:
        return
    now = timezone.now()
    question.reopened_at = now
    _enter_state(question, State.REOPENED, now.isoformat())
    if permit.allows(ConsentScope.SAVE_TO_PROFILE):
        payload = {"question": str(question.pk)}
        enqueue(
            look.topic,
            user_id=question.user_id,
            payload=payload,
            scope=ConsentScope.SAVE_TO_PROFILE.value,
            delay=look.delay,
        )


def _locked_question(permit: Permit, thread: Thread, question_id: UUID) -> WatchQuestion:
    hold_permit(permit)
    open_thread = require_open(permit, thread)
    return require_found(questions_of(permit, open_thread).select_for_update().filter(pk=question_id).first())


def _enter_state(question: WatchQuestion, state: str, at: str) -> None:
    question.state = state
    question.updates = [*question.updates, _update_entry(state, at)]
    question.save()


def _update_entry(state: str, at: str) -> dict[str, Any]:
    return {"state": str(state), "at": at}
