"""Examines background work: the queue, the clock that starts schedules, and who may mend what failed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone
from django_otp import devices_for_user
from django_q.models import Schedule

from finclaw.doctor.findings import DoctorFinding
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.capacity import oldest_due
from foundation.outbox.models import OutboxMessage
from foundation.outbox.schedules import listed_schedules

OLD: Final = timedelta(minutes=15)
MISSED: Final = timedelta(minutes=5)


def examine_queue() -> Iterator[DoctorFinding]:
    """Whether jobs wait too long, or failed for good."""
    with in_role(WORKER_ROLE):
        waited = oldest_due(timezone.now()) or timedelta()
        dead = OutboxMessage.objects.filter(state=OutboxMessage.State.FAILED).count()
    remedy = "Start a worker, or more of them." if waited > OLD else ""
    yield DoctorFinding("queue", f"the oldest job is due for {waited.total_seconds():.0f} s", remedy, bool(remedy))
    if dead:
        yield DoctorFinding(
            "queue", f"{dead} jobs failed for good", "See System, Outbox under /admin/; mend and retry."
        )


def examine_schedules() -> Iterator[DoctorFinding]:
    """Whether the schedules of this version are installed, and a worker starts them."""
    listed = {(schedule.name, schedule.function) for schedule in listed_schedules()}
    rows = list(Schedule.objects.values_list("name", "func", "next_run"))
    if listed != {(name, function) for name, function, _ in rows}:
        yield DoctorFinding(
            "schedules", "they are not those of this version", "Run manage.py schedules.", is_urgent=True
        )
        return
    late = max(timezone.now() - next_run for _, _, next_run in rows)
    remedy = "No worker is running: start one." if late > MISSED else ""
    what = f"the latest was due {max(0, late.total_seconds()):.0f} s ago"
    yield DoctorFinding("schedules", what, remedy, is_urgent=bool(remedy))


def examine_operators() -> Iterator[DoctorFinding]:
    """Whether somebody may mend things, each behind a second factor."""
    superusers = list(User.objects.filter(is_superuser=True, is_active=True))
    if not superusers:
        yield DoctorFinding("operators", "there is no superuser", "Run manage.py createsuperuser.")
    bare = [user.username for user in superusers if not any(devices_for_user(user))]
    if superusers and not settings.OPERATOR_SECOND_FACTOR:
        yield DoctorFinding("operators", "no second factor is asked for", "Set OPERATOR_SECOND_FACTOR=true.")
    elif bare:
        yield DoctorFinding(
            "operators", f"{', '.join(bare)} have no second factor yet", "They sign in once, under /admin/."
        )
    elif superusers:
        yield DoctorFinding("operators", f"{len(superusers)} superusers, each with a second factor")
