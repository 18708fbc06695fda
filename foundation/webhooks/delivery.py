"""Sends one event to one webhook at least once: retries for a day, at ever longer intervals, then gives up.

Each attempt is a separate job. After several failures in a row the webhook is paused (``Webhook.paused_until``), so
that an address that never answers takes little of a worker's time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from foundation.coroutines import call_in_thread
from foundation.outbox.jobs import Job
from foundation.webhooks.addresses import AddressRefused, resolve
from foundation.webhooks.http_post import post
from foundation.webhooks.models import Webhook, WebhookDelivery
from foundation.webhooks.services import cancel, enqueue_attempts, lock_webhook
from foundation.webhooks.signatures import signature_header

PAUSES: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400))
"""The pauses after the first failures of an event, or in a row of an address; the last again and again."""
CIRCUIT_FAILURES: Final = 3
"""After so many failures in a row, of any events, a webhook is paused."""
State = WebhookDelivery.State
_PROGRESS: Final = ("state", "attempts", "status_code", "failure", "next_attempt_at", "finished_at")


def deliver(job: Job, may_tell: Callable[[WebhookDelivery], bool]) -> None:
    """Handle one attempt. Do nothing for a delivery that has ended, or whose next attempt is another job by now."""
    with job.acting():
        delivery = _due(job).select_related("webhook").first()
        may_be_told = delivery is not None and delivery.webhook.is_active and may_tell(delivery)
    if delivery is None or not may_be_told:
        with job.completing():
            cancel(_due(job))
        return
    until = delivery.webhook.paused_until
    if until is not None and until > timezone.now():
        with job.completing():
            _wait(job, until)
        return
    status, failure = call_in_thread(lambda: attempt(delivery, timezone.now()))
    with job.completing():
        _record(job, delivery.webhook_id, status, failure)


def attempt(delivery: WebhookDelivery, now: datetime) -> tuple[int | None, str]:
    """Send the event once; return the HTTP status (None without an answer) and the reason of a failure (else "")."""
    webhook, body, timestamp = delivery.webhook, message_body(delivery), int(now.timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "FinClaw-Webhooks",
        "webhook-id": str(delivery.pk),
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature_header(_keys(webhook, now), str(delivery.pk), timestamp, body),
    }
    try:
        status = post(resolve(webhook.url), body, headers)
    except AddressRefused as error:
        return None, error.reason
    except TimeoutError:
        return None, "timeout"
    except (OSError, HTTPException, ValueError):
        return None, "unreachable"
    return status, "" if 200 <= status < 300 else "refused"


def message_body(delivery: WebhookDelivery) -> bytes:
    """The JSON that is sent: the event's name, its time, and the id of the row it is about."""
    told = {
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat(),
        "data": {"id": str(delivery.subject_id)},
    }
    return json.dumps(told).encode()


def _due(job: Job) -> QuerySet[WebhookDelivery]:
    """The delivery that the job attempts; nothing if its next attempt is another job by now."""
    due = datetime.fromisoformat(job.payload["due"])
    return WebhookDelivery.objects.filter(pk=job.payload["delivery"], state=State.PENDING, next_attempt_at=due)


def _wait(job: Job, until: datetime) -> None:
    """Postpone the attempt until the pause of its webhook ends."""
    delivery = _due(job).select_for_update().first()
    if delivery is not None:
        _put_off(delivery, until)


def _record(job: Job, webhook_id: UUID, status: int | None, failure: str) -> None:
    """Write down how an attempt ended, and queue the next one where it failed."""
    now = timezone.now()
    webhook = lock_webhook(webhook_id)
    delivery = _due(job).select_for_update().first()
    if webhook is None or delivery is None:
        return
    delivery.attempts += 1
    delivery.status_code, delivery.failure = status, failure
    webhook.failures = webhook.failures + 1 if failure else 0
    webhook.paused_until = now + _pause(webhook.failures) if webhook.failures >= CIRCUIT_FAILURES else None
    webhook.save(update_fields=["failures", "paused_until"])
    if failure:
        _put_off(delivery, max(now + _pause(delivery.attempts), webhook.paused_until or now))
    else:
        _end(delivery, State.DELIVERED)


def _pause(failures: int) -> timedelta:
    return PAUSES[min(failures, len(PAUSES)) - 1]


def _put_off(delivery: WebhookDelivery, until: datetime) -> None:
    if until > delivery.give_up_at:
        _end(delivery, State.FAILED)
        return
    delivery.next_attempt_at = until
    delivery.save(update_fields=_PROGRESS)
    enqueue_attempts([delivery], until)


def _end(delivery: WebhookDelivery, state: str) -> None:
    delivery.state, delivery.finished_at, delivery.next_attempt_at = state, timezone.now(), None
    delivery.save(update_fields=_PROGRESS)


def _keys(webhook: Webhook, now: datetime) -> list[str]:
    """The secrets that sign now, the newest first."""
    is_rotating = webhook.previous_until is not None and webhook.previous_until > now
    return [webhook.secret, *([webhook.previous_secret] if is_rotating else [])]
