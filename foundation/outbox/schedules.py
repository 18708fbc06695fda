"""Schedules as code: the list that the settings name is written to django-q2, and nothing else stays there.

Only the owner of the database may write them (the migration in this folder); the role that the
application runs as may move a next run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Schedule

DRAIN: Final = "foundation.outbox.tasks.drain"
OWNER: Final = "owner"  # the connection that may write schedules


@dataclass(frozen=True)
class ListedSchedule:
    """One function without arguments, by its dotted path, run every so many minutes."""

    name: str
    function: str
    minutes: int


def listed_schedules() -> Sequence[ListedSchedule]:
    """The literal list behind the setting ``OUTBOX_SCHEDULES``."""
    found: Sequence[ListedSchedule] = import_string(settings.OUTBOX_SCHEDULES)
    return found


def allowed_functions() -> frozenset[str]:
    """The dotted paths of everything that a worker may run."""
    return frozenset({DRAIN, *(schedule.function for schedule in listed_schedules())})


def install_schedules(schedules: Sequence[ListedSchedule]) -> tuple[int, int]:
    """Write these schedules and remove all others; answers how many were new and how many were removed.

    As the owner. Idempotent: a schedule that is there already keeps its next run. Raises ``ImportError`` before
    anything is written when a dotted path leads nowhere: found out by the clock, it would fail unseen.
    """
    for schedule in schedules:
        import_string(schedule.function)
    with transaction.atomic(using=OWNER):
        removed, _ = Schedule.objects.using(OWNER).exclude(name__in=[schedule.name for schedule in schedules]).delete()
        added = sum(_install_schedule(schedule) for schedule in schedules)
    return added, removed


def _install_schedule(schedule: ListedSchedule) -> bool:
    _, created = Schedule.objects.using(OWNER).update_or_create(
        name=schedule.name,
        defaults={"func": schedule.function, "schedule_type": Schedule.MINUTES, "minutes": schedule.minutes},
        create_defaults={
            "func": schedule.function,
            "schedule_type": Schedule.MINUTES,
            "minutes": schedule.minutes,
            "next_run": timezone.now(),
        },
    )
    return bool(created)
