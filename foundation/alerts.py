"""Sends alerts to a webhook through the outbox: retried while it is down, a dead letter when it stays down."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

import httpx2
from django.conf import settings

from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.outbox.services import enqueue

ALERT_TOPIC = "alerts.send"
_TIMEOUT_SECONDS = 5.0
_PERIODS: Final = {"hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d"}


def raise_alert(kind: str, level: str, key: UUID | None = None, **details: str) -> None:
    """Queue an alert in the caller's transaction; do nothing where no webhook is set.

    ``details`` are ids and times, never text. An alert that must be sent only once has a ``key``; one about a
    lasting condition has that of ``alert_key``.
    """
    if settings.ALERT_WEBHOOK_URL:
        payload = {"kind": kind, "level": level, **details}
        enqueue(ALERT_TOPIC, user_id=None, payload=payload, priority=Priority.URGENT, key=key)


def alert_key(period: Literal["hour", "day"], now: datetime, *names: str) -> UUID:
    """The outbox key of an alert that is sent once a period: ``names`` are its kind and cause."""
    return uuid5(NAMESPACE_URL, ":".join(["alert", *names, now.strftime(_PERIODS[period])]))


def send_alert(job: Job) -> None:
    """Post one alert as JSON. At least once: a worker that dies after the answer posts it again.

    Raises what the HTTP client raises for a refusal, a redirection, a time-out; the outbox counts that as an attempt.
    """
    if settings.ALERT_WEBHOOK_URL:
        answer = httpx2.post(settings.ALERT_WEBHOOK_URL, json=job.payload, timeout=_TIMEOUT_SECONDS)
        answer.raise_for_status()
    with job.completing():
        pass
