"""Judges, in the background, stored texts that today's rules of sanitization have not read.

The rules changed, or thousands were imported at once. Until then whatever a turn recalls of them is read in the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.services import learning_permit, scope_held_since
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from foundation.sanitization.verdicts import rules_version, verdict_on
from memory.indexing.backlog import Backlog
from memory.indexing.embedding import prompt_texts
from memory.models import SearchEntry

JUDGE_TOPIC = "memory.judge"
BATCH: Final = 200
"""How many texts one job reads: some tenths of a second, where the encoder reads the suspicious ones."""
MOST_PEOPLE: Final = 2_000
"""How many users one run of the schedule begins with, so that the queue has room for new messages."""


def unjudged_entries() -> QuerySet[SearchEntry]:
    """The entries that today's rules have not judged, of all users visible to the role; a portrait is read by lines."""
    version = rules_version()
    # Smaller or greater, not other: only so PostgreSQL finds them in an index.
    return SearchEntry.objects.filter(Q(judged_by__lt=version) | Q(judged_by__gt=version)).exclude(
        kind=SearchEntry.Kind.PROFILE
    )


def queue_waiting() -> int:
    """Queue a job for users whose entries wait; returns for how many. For the schedule."""
    return BACKLOG.queue_due()


def judge_entries(job: Job) -> None:
    """Judge the first ``BATCH`` of the listed entries, and queue the rest, or the next that wait."""
    BACKLOG.work_on(job, BATCH, _judge, lambda keys: _store_verdicts(keys, {}))


def _judge(job: Job, batch: Sequence[UUID], others: Sequence[UUID]) -> None:
    with job.acting():
        texts = _allowed_texts(job.user_id, batch)
    verdicts = {key: verdict_on(text) for key, text in texts.items()}
    with job.completing():
        if learning_permit(job.user_id) is None:
            return
        _store_verdicts(batch, verdicts)
        BACKLOG.queue_next(job, others)


def _allowed_texts(user_id: UUID, keys: Sequence[UUID]) -> dict[UUID, str]:
    return prompt_texts(
        SearchEntry.objects.filter(pk__in=keys), scope_held_since(user_id, ConsentScope.MEMORY_LEARNING)
    )


def _store_verdicts(keys: Sequence[UUID], verdicts: Mapping[UUID, str]) -> None:
    """Mark the entries as judged, whatever came of it.

    What was not read, or is other words by now, is read in the turns that recall it.
    """
    version = rules_version()
    judged = [SearchEntry(pk=key, verdict=verdicts.get(key, ""), judged_by=version) for key in keys]
    SearchEntry.objects.bulk_update(judged, ["verdict", "judged_by"])


def _list_waiting(user_id: UUID) -> list[UUID]:
    return list(unjudged_entries().filter(user_id=user_id).order_by("-pk").values_list("pk", flat=True)[: 4 * BATCH])


BACKLOG: Final = Backlog(
    JUDGE_TOPIC, "entries", unjudged_entries, _list_waiting, MOST_PEOPLE, pause=timedelta(minutes=15)
)
