"""How much the queue of background work holds, and whether it takes more."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.db.models import Min
from django.utils import timezone

from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.suspension import topics_waiting_for_provider
from foundation.telemetry.metrics import OUTBOX_DEAD_LETTERS, OUTBOX_DROPPED, OUTBOX_OLDEST_DUE

State = OutboxMessage.State
# A cache of this process: most messages ask, and counting a long queue takes longer than the rest of their work.
_waiting_count_cache: Final = LocMemCache("outbox.waiting", {})


def is_due_within(seconds: float, looked_at: datetime) -> bool:
    """Whether work that was never tried yet becomes due in so many seconds, or became so since ``looked_at``."""
    soon = {"available_at__gt": looked_at, "available_at__lte": timezone.now() + timedelta(seconds=seconds)}
    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.filter(state=State.PENDING, attempts=0, **soon).exists()


def oldest_due(now: datetime) -> timedelta | None:
    """How long the row that has waited longest is due, of those that the role sees; None where none is due.

    Rows that wait for a provider that is down are left out: more workers would not help them.
    """
    due = OutboxMessage.objects.filter(state=State.PENDING, available_at__lte=now)
    due = due.exclude(topic__in=topics_waiting_for_provider())
    since: datetime | None = due.aggregate(since=Min("available_at"))["since"]
    return now - since if since else None


def count_waiting_for_provider() -> int:
    """How many rows that the role sees wait for a provider that is down."""
    waiting = OutboxMessage.objects.filter(state=State.PENDING, topic__in=topics_waiting_for_provider())
    return waiting.count()


def measure_queue() -> None:
    """Set the metrics of the queue's age and of its dead letters."""
    with in_role(WORKER_ROLE):
        OUTBOX_OLDEST_DUE.set((oldest_due(timezone.now()) or timedelta()).total_seconds())
        OUTBOX_DEAD_LETTERS.set(OutboxMessage.objects.filter(state=State.FAILED).count())


def has_room(priority: Priority) -> bool:
    """Whether the queue of background work takes more of this priority: a full one drops low-priority work."""
    if priority != Priority.LOW:
        return True
    waiting = _waiting_count_cache.get_or_set("waiting", _count_waiting, settings.OUTBOX_COUNT_SECONDS)
    if waiting is not None and waiting < settings.OUTBOX_COLD_LIMIT:
        return True
    OUTBOX_DROPPED.inc()
    return False


def _count_waiting() -> int:
    """The number of waiting rows, counted up to the limit."""
    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.filter(state=State.PENDING)[: settings.OUTBOX_COLD_LIMIT].count()
