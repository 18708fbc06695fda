"""Portraits that were made before of events alone, and people who have none though much is remembered of them: made in
the background, each user's in one job. What stood before is kept as a revision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from memory.indexing.backlog import Backlog
from memory.models import EntityProfile, MemoryItem
from memory.models.profiles import CURRENT_MAKING
from memory.profiles.rebuild_queue import REMAKE_TOPIC

MOST_PEOPLE: Final = 500
"""People begun with by one run of the schedule."""


def outdated_portraits() -> QuerySet[EntityProfile]:
    """The portraits that are to be made anew, of whoever the role sees."""
    return EntityProfile.objects.filter(made_by__lt=CURRENT_MAKING)


def remembered_without_portrait() -> QuerySet[MemoryItem]:
    """What is remembered of people who have no portrait of their own yet, of whoever the role sees."""
    own = EntityProfile.objects.filter(user=OuterRef("user"), entity_type=EntityProfile.EntityType.USER)
    in_use = MemoryItem.objects.filter(state=MemoryItem.State.ACTIVE, superseded_at=None)
    return in_use.filter(~Exists(own))


def _of_person(user_id: UUID) -> list[UUID]:
    """One job makes all portraits of a person."""
    return [user_id]


BACKLOGS: Final = tuple(
    Backlog(REMAKE_TOPIC, "people", waiting, _of_person, MOST_PEOPLE)
    for waiting in (outdated_portraits, remembered_without_portrait)
)


@dataclass(frozen=True)
class RebuildProgress:
    """``portraits`` wait to be made anew, ``people`` to have their first; ``jobs`` are those that wait or run."""

    portraits: int
    people: int
    jobs: int


def rebuild_progress() -> RebuildProgress:
    """How far everybody's portraits have come."""
    with in_role(OPERATOR_ROLE):
        portraits = outdated_portraits().count()
        people = remembered_without_portrait().order_by().values("user").distinct().count()
    return RebuildProgress(portraits, people, BACKLOGS[0].unfinished_count())


def queue_waiting() -> int:
    """For the schedule: queue those whose portraits wait; answers for how many people."""
    if not settings.COGNITIVE_ENABLED or not outbox.has_room(Priority.LOW):
        return 0
    return sum(backlog.queue_due() for backlog in BACKLOGS)


def queue_now() -> int:
    """For an operator: queue everybody whose portraits wait and who has no job; returns how many people."""
    return sum(backlog.queue_now() for backlog in BACKLOGS) if settings.COGNITIVE_ENABLED else 0
