"""The questions that the assistant asks of its own accord below an answer: open ones of the user's threads.

A receipt keeps which question was asked, by its id alone: what is forgotten since is asked no more, and shown nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from memory.models import ObjectKind, Receipt, Thread, WatchQuestion
from memory.research.asset_names import object_id
from memory.research.types import CognitionObject

FOLLOW_UP_KEY: Final = "follow_up"
"""Where a receipt's ``generation_metadata`` keeps the id of the question."""
ASKED_AGAIN_AFTER: Final = timedelta(days=7)
"""How long a question is not asked again."""
_LOOKED_AT: Final = 50
"""Among how many open questions, the oldest first, one is looked for."""


@dataclass(frozen=True)
class FollowUpQuestion:
    """A question of a thread that an answer was followed by."""

    question_id: UUID
    thread_id: UUID
    about: str
    text: str


def open_question_on(permit: Permit, names: Iterable[str]) -> WatchQuestion | None:
    """The oldest open question of the user's open threads on one of the assets named, unless it was asked lately."""
    wanted = {object_id(CognitionObject(ObjectKind.ASSET, name)) for name in names}
    if not wanted:
        return None
    fitting = [question for question in _open_questions(permit)[:_LOOKED_AT] if _object_of(question) in wanted]
    asked = _asked_lately(permit, {question.pk for question in fitting}) if fitting else frozenset()
    return next((question for question in fitting if question.pk not in asked), None)


def follow_ups_of(permit: Permit, metadata: Mapping[UUID, Mapping[str, Any]]) -> dict[UUID, FollowUpQuestion]:
    """The question below each reply, by the ``generation_metadata`` of its receipt; resolved ones are left out."""
    asked = {reply: UUID(kept[FOLLOW_UP_KEY]) for reply, kept in metadata.items() if FOLLOW_UP_KEY in kept}
    if not asked:
        return {}
    found = {question.pk: _shown(question) for question in _open_questions(permit).filter(pk__in=asked.values())}
    return {reply: found[key] for reply, key in asked.items() if key in found}


def _open_questions(permit: Permit) -> QuerySet[WatchQuestion]:
    still_open = (WatchQuestion.State.OPEN, WatchQuestion.State.REOPENED)
    mine = WatchQuestion.objects.filter(user_id=permit.user_id, state__in=still_open, thread__state=Thread.State.OPEN)
    return mine.select_related("thread").order_by("created_at", "id")


def _object_of(question: WatchQuestion) -> str:
    return object_id(CognitionObject(question.thread.object_kind, question.thread.object_name))


def _asked_lately(permit: Permit, questions: Collection[UUID]) -> frozenset[UUID]:
    since = timezone.now() - ASKED_AGAIN_AFTER
    receipts = Receipt.objects.filter(user_id=permit.user_id, created_at__gt=since, kind=Receipt.Kind.INJECTION)
    named = receipts.filter(**{f"generation_metadata__{FOLLOW_UP_KEY}__in": [str(key) for key in questions]})
    return frozenset(UUID(value) for value in named.values_list(f"generation_metadata__{FOLLOW_UP_KEY}", flat=True))


def _shown(question: WatchQuestion) -> FollowUpQuestion:
    thread = question.thread
    return FollowUpQuestion(question.pk, thread.pk, thread.object_alias or thread.object_name, question.question)
