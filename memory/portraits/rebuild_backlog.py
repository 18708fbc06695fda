"""Rebuilds, in the background, portraits made in an older way, and builds those of users who have none yet.

Older portraits were made from events alone. Each user has one job; the former portrait is stored as a revision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.indexing.backlog import Backlog
from memory.models import EntityProfile, MemoryItem
from memory.models.profiles import CURRENT_MAKING
from memory.services.portrait_rebuilds import REMAKE_TOPIC

MOST_PEOPLE: Final = 500
"""For how many users one run of the schedule queues a job."""


def outdated_portraits() -> QuerySet[EntityProfile]:
    """The portraits to be rebuilt, of all users visible to the role."""
    return EntityProfile.objects.filter(made_by__lt=CURRENT_MAKING)


def remembered_without_portrait() -> QuerySet[MemoryItem]:
    """The memories of users who have no portrait of their own yet, of all users visible to the role."""
    own = EntityProfile.objects.filter(user=OuterRef("user"), entity_type=EntityProfile.EntityType.USER)
    in_use = MemoryItem.objects.in_use()
    return in_use.filter(~Exists(own))


def _of_person(user_id: UUID) -> list[UUID]:
    """The entries of one user: one job builds all their portraits."""
    return [user_id]


BACKLOGS: Final = tuple(
    Backlog(REMAKE_TOPIC, "people", waiting, _of_person, MOST_PEOPLE, is_on=lambda: bool(settings.COGNITIVE_ENABLED))
    for waiting in (outdated_portraits, remembered_without_portrait)
)


@dataclass(frozen=True)
class RebuildProgress:
    """How far the backlog has come.

    ``portraits`` wait to be rebuilt, ``people`` to have their first; ``jobs`` are those that wait or run.
    """

    portraits: int
    people: int
    jobs: int


def rebuild_progress() -> RebuildProgress:
    """The progress of the backlog over all users."""
    with in_role(OPERATOR_ROLE):
        portraits = outdated_portraits().count()
        people = remembered_without_portrait().order_by().values("user").distinct().count()
    return RebuildProgress(portraits, people, BACKLOGS[0].unfinished_count())


def queue_waiting() -> int:
    """Queue a job for users whose portraits wait; returns for how many. For the schedule."""
    return sum(backlog.queue_due() for backlog in BACKLOGS)
