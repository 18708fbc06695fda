"""Tells one event to one address, at least once: tried again for a day, at ever longer intervals, then given up.

Each attempt is a job of its own. While an address fails, all that waits for it stands behind one attempt, so that
whoever never answers takes little of a worker's time.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Final
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from foundation.coroutines import call_aside
from foundation.outbox.jobs import Job
from foundation.webhooks.addresses import AddressRefused, resolve
from foundation.webhooks.models import Webhook, WebhookDelivery
from foundation.webhooks.sending import post
from foundation.webhooks.services import enqueue_attempt
from foundation.webhooks.signatures import signature_header

PAUSES: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400))
"""The pauses after the first failures of an event; the last again and again."""
CIRCUIT_FAILURES: Final = 3
"""So many failures in a row, of whatever events, let an address rest."""
State = WebhookDelivery.State


def deliver(job: Job) -> None:
    """Handle one attempt. What was delivered, given up or deleted meanwhile is done with."""
    with job.acting():
        delivery = _due_delivery(UUID(job.payload["delivery"]))
    if delivery is None:
        with job.completing():
            return
    if _rests(job, delivery):
        return
    status, failure = call_aside(lambda: attempt(delivery, timezone.now()))
    with job.completing():
        _record(delivery.pk, status, failure)


def attempt(delivery: WebhookDelivery, now: datetime) -> tuple[int | None, str]:
    """Send it once: the status of the answer, None without one, and why it failed, "" where it did not."""
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
    """The event as it is told: its name, its moment, and the id of what it speaks of."""
    told = {
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat(),
        "data": {"id": str(delivery.subject_id)},
    }
    return json.dumps(told).encode()


def _due_delivery(delivery_id: UUID) -> WebhookDelivery | None:
    waiting = WebhookDelivery.objects.filter(pk=delivery_id, state=State.PENDING, webhook__is_active=True)
    return waiting.select_related("webhook").first()


def _rests(job: Job, delivery: WebhookDelivery) -> bool:
    """Whether the address is let rest; then the attempt is put off until it may be asked again."""
    until, now = delivery.webhook.paused_until, timezone.now()
    if until is None or until <= now:
        return False
    with job.completing():
        _put_off(delivery, until, now)
    return True


def _record(delivery_id: UUID, status: int | None, failure: str) -> None:
    """Write down how an attempt ended, and queue the next one where it failed."""
    now = timezone.now()
    delivery = WebhookDelivery.objects.select_for_update().filter(pk=delivery_id).first()
    if delivery is None or delivery.state != State.PENDING:
        return
    delivery.attempts += 1
    delivery.status_code, delivery.failure = status, failure
    if failure:
        pause = PAUSES[min(delivery.attempts, len(PAUSES)) - 1]
        _let_rest(delivery.webhook_id, now + pause)
        _put_off(delivery, now + pause, now)
        return
    Webhook.objects.filter(pk=delivery.webhook_id).update(failures=0, paused_until=None)
    delivery.state, delivery.finished_at, delivery.next_attempt_at = State.DELIVERED, now, None
    delivery.save()


def _put_off(delivery: WebhookDelivery, until: datetime, now: datetime) -> None:
    if until > delivery.give_up_at:
        delivery.state, delivery.finished_at, delivery.next_attempt_at = State.FAILED, now, None
    else:
        delivery.next_attempt_at = until
        enqueue_attempt(delivery, until)
    delivery.save()


def _let_rest(webhook_id: UUID, until: datetime) -> None:
    rows = Webhook.objects.filter(pk=webhook_id)
    rows.update(failures=F("failures") + 1)
    rows.filter(failures__gte=CIRCUIT_FAILURES).update(paused_until=until)


def _keys(webhook: Webhook, now: datetime) -> list[str]:
    """The secrets that sign now, the newest first."""
    is_rotating = webhook.previous_until is not None and webhook.previous_until > now
    return [webhook.secret, *([webhook.previous_secret] if is_rotating else [])]
