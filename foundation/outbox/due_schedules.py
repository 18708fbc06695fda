"""Puts schedules that are due into the workers' queue.

It replaces django-q2's own scheduler, which runs whatever function a row names. Here a row only holds when a listed
schedule runs next; everything else comes from the list in the code.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError, transaction
from django.utils import timezone
from django_q.brokers import Broker
from django_q.models import Schedule
from django_q.tasks import async_task

from foundation.outbox.schedules import ListedSchedule, listed_schedules
from foundation.telemetry.metrics import TASKS_REFUSED

log = structlog.get_logger(__name__)
REFUSED_AGAIN_AFTER = timedelta(hours=1)  # said once an hour, not with every look


def enqueue_due(broker: Broker) -> list[str]:
    """Queue each listed schedule that is due, only once even if several processes look; return their names.

    A row that the list does not know is logged and counted. A database that is down is logged: due schedules stay due.
    """
    try:
        with transaction.atomic():
            return _enqueue_due(broker, timezone.now())
    except DatabaseError as error:
        log.warning("schedules_not_read", error=type(error).__name__)
        return []


def _enqueue_due(broker: Broker, now: datetime) -> list[str]:
    known = {schedule.name: schedule for schedule in listed_schedules()}
    queued = []
    for row in Schedule.objects.select_for_update(skip_locked=True).filter(next_run__lte=now):
        schedule = known.get(row.name)
        if schedule is None or row.func != schedule.function:
            TASKS_REFUSED.labels(reason="schedule_not_listed").inc()
            log.error("schedule_refused", row=row.pk)
            Schedule.objects.filter(pk=row.pk).update(next_run=now + REFUSED_AGAIN_AFTER)
            continue
        task = async_task(schedule.function, broker=broker, group=schedule.name)
        Schedule.objects.filter(pk=row.pk).update(task=task, next_run=_next_run(schedule, row.next_run, now))
        queued.append(schedule.name)
    return queued


def _next_run(schedule: ListedSchedule, due: datetime, now: datetime) -> datetime:
    """The first run of a schedule after now: runs that were missed are not made up for."""
    every = timedelta(minutes=schedule.minutes)
    return due + every * ((now - due) // every + 1)
