"""Builds the detectors' input from database rows."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from drift.models import Feedback
from drift.types import DatedThesis, Keyword, QuestionHistory, QuestionUpdate, RatedFeedback, ThesisHistory
from memory.models import Refresh, Thread, WatchQuestion
from memory.research.types import CognitionObject

_FIELDS: Final = ("created_at", "object_ref", "object_kind", "object_name", "rating", "keywords_text")
_SPELLINGS: Final = 4_096  # of objects and keywords that a scan meets again and again


def feedback_rows(feedback: QuerySet[Feedback], *first: str) -> QuerySet[Feedback, tuple[Any, ...]]:
    """Feedback rows with these fields, then those that ``rated_feedback`` reads, the oldest first of each user.

    Keywords are read as text, because there are few different lists, and each is then parsed only once.
    """
    ordered = feedback.annotate(keywords_text=Cast("keywords", TextField())).order_by("user_id", "created_at", "id")
    return ordered.values_list(*first, *_FIELDS)


def rated_feedback(row: tuple[Any, ...]) -> RatedFeedback:
    """The detectors' view of a row of ``feedback_rows`` without further fields."""
    at, object_ref, kind, name, rating, keywords = row
    return RatedFeedback(
        at, object_ref, _cached_object(kind, name) if name else None, rating, _parsed_keywords(keywords)
    )


@lru_cache(maxsize=_SPELLINGS)
def _cached_object(kind: str, name: str) -> CognitionObject:
    return CognitionObject(kind, name)


@lru_cache(maxsize=_SPELLINGS)
def _parsed_keywords(text: str) -> tuple[Keyword, ...]:
    return tuple(Keyword.from_json(value) for value in json.loads(text))


def thesis_history(thread: Thread, refresh: Refresh, since_version: int) -> ThesisHistory:
    """The thread's theses up to the refresh, of those kept under consents from ``since_version`` on."""
    kept = thread.snapshots.filter(created_at__lte=refresh.created_at, consent_version__gte=since_version)
    earlier = kept.exclude(pk=refresh.snapshot_id).exclude(main_thesis="").order_by("created_at", "id")
    theses = [
        DatedThesis(at, text, f"snapshot:{key}")
        for at, text, key in earlier.values_list("created_at", "main_thesis", "pk")
    ]
    new = DatedThesis(refresh.created_at, refresh.snapshot.main_thesis, f"snapshot:{refresh.snapshot_id}")
    return ThesisHistory(
        f"thread:{thread.pk}", _cognition_object(thread), (*theses, new), len(refresh.changed_inferences)
    )


def question_history(question: WatchQuestion) -> QuestionHistory:
    """The question's updates, with its thread."""
    updates = tuple(
        QuestionUpdate(datetime.fromisoformat(update["at"]), update["state"]) for update in question.updates
    )
    thread = question.thread
    return QuestionHistory(f"watch_question:{question.pk}", f"thread:{thread.pk}", _cognition_object(thread), updates)


def _cognition_object(thread: Thread) -> CognitionObject:
    return CognitionObject(thread.object_kind, thread.object_name)
