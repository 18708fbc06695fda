"""What runs by the clock, written out in one place: name, dotted function, minutes between runs."""

from __future__ import annotations

from foundation.outbox.schedules import Every

SCHEDULES: tuple[Every, ...] = (
    Every("outbox sweep", "foundation.outbox.tasks.sweep", minutes=1),
    Every("idempotency keys", "finclaw.api.idempotency.sweep", minutes=60),
)
