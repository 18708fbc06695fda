"""Webhooks of a user: made, changed and removed; and an event published, with a delivery for each that wants it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.exceptions import ValidationFailed, require_found
from foundation.outbox.models import Priority
from foundation.outbox.services import enqueue
from foundation.personal_data import ConsentScope
from foundation.webhooks.addresses import AddressRefused, resolve
from foundation.webhooks.models import OF_MEMORY, Webhook, WebhookDelivery, WebhookEvent
from foundation.webhooks.signatures import new_secret

WEBHOOK_TOPIC = "webhooks.deliver"
MOST_WEBHOOKS: Final = 10
GIVE_UP_AFTER: Final = timedelta(days=1)
PREVIOUS_SECRET_FOR: Final = timedelta(days=1)
State = WebhookDelivery.State


def publish(user_id: UUID, event: WebhookEvent, subject_id: UUID) -> int:
    """Queue an event for each of the user's webhooks that wants it, in the caller's transaction; answers how many.

    Call acting for the user.
    """
    wanting = Webhook.objects.filter(user_id=user_id, is_active=True, events__contains=[event])
    for webhook in wanting:
        _queue_delivery(webhook, event, subject_id)
    return len(wanting)


def webhooks_of(user_id: UUID) -> QuerySet[Webhook]:
    """The user's webhooks, the latest first."""
    return Webhook.objects.filter(user_id=user_id).order_by("-created_at", "-id")


def webhook_of(user_id: UUID, webhook_id: UUID) -> Webhook:
    """One of the user's. Raises ``NotFound``."""
    return require_found(webhooks_of(user_id).filter(pk=webhook_id).first())


def delivery_of(user_id: UUID, delivery_id: UUID, webhook: Webhook | None = None) -> WebhookDelivery:
    """One of the user's deliveries, of this webhook if one is named. Raises ``NotFound``."""
    rows = WebhookDelivery.objects.all() if webhook is None else deliveries_of(webhook)
    return require_found(rows.filter(pk=delivery_id, user_id=user_id).first())


def deliveries_of(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """A webhook's deliveries, the latest first."""
    return WebhookDelivery.objects.filter(webhook=webhook).order_by("-created_at", "-id")


def require_allowed_address(url: str) -> None:
    """Raise ``ValidationFailed`` for an address that nothing may be sent to. Asks for its name: hold no transaction."""
    words = {
        "malformed": _("Give an address such as https://example.com/hook."),
        "not_found": _("This host cannot be found."),
        "private": _("This address leads into a private network."),
        "insecure": _("The address must begin with https://."),
    }
    try:
        resolve(url)
    except AddressRefused as error:
        raise ValidationFailed(details={"url": [words[error.reason]]}) from None


def create_webhook(user_id: UUID, url: str, events: Collection[str]) -> Webhook:
    """Add a webhook with a secret of its own. Raises ``ValidationFailed`` beyond ``MOST_WEBHOOKS``."""
    if webhooks_of(user_id).count() >= MOST_WEBHOOKS:
        raise ValidationFailed(details={"url": [_("There are as many webhooks as there may be. Delete one first.")]})
    return Webhook.objects.create(user_id=user_id, url=url, events=sorted(set(events)), secret=new_secret())


def change_webhook(
    webhook: Webhook, *, url: str | None = None, events: Collection[str] | None = None, is_active: bool | None = None
) -> Webhook:
    """Change what is given. A changed address begins without the failures of the one before."""
    if url is not None and url != webhook.url:
        webhook.url, webhook.failures, webhook.paused_until = url, 0, None
    webhook.events = webhook.events if events is None else sorted(set(events))
    webhook.is_active = webhook.is_active if is_active is None else is_active
    webhook.save(update_fields=["url", "events", "is_active", "failures", "paused_until"])
    if not webhook.is_active:
        _cancel(deliveries_of(webhook))
    return webhook


def rotate_secret(webhook: Webhook) -> Webhook:
    """A new secret; the one before signs beside it for a day."""
    webhook.previous_secret, webhook.previous_until = webhook.secret, timezone.now() + PREVIOUS_SECRET_FOR
    webhook.secret = new_secret()
    webhook.save(update_fields=["secret", "previous_secret", "previous_until"])
    return webhook


def ping(webhook: Webhook) -> WebhookDelivery:
    """Queue a test, which names the webhook itself; the one that waits, if any."""
    waiting = deliveries_of(webhook).filter(event=WebhookEvent.PING, state=State.PENDING).first()
    return waiting or _queue_delivery(webhook, WebhookEvent.PING, webhook.pk)


def resend(delivery: WebhookDelivery) -> WebhookDelivery:
    """Tell an event once more, under the same id, with a fresh day of attempts. One that waits is tried at once."""
    now = timezone.now()
    delivery.state, delivery.give_up_at = State.PENDING, now + GIVE_UP_AFTER
    delivery.next_attempt_at, delivery.finished_at = now, None
    delivery.save(update_fields=["state", "give_up_at", "next_attempt_at", "finished_at"])
    Webhook.objects.filter(pk=delivery.webhook_id).update(paused_until=None)
    enqueue_attempt(delivery)
    return delivery


def cancel_memory_events(user_id: UUID) -> int:
    """Give up what waits to be told of memories, whose consent was withdrawn; answers how many."""
    return _cancel(WebhookDelivery.objects.filter(user_id=user_id, event__in=OF_MEMORY))


def _cancel(deliveries: QuerySet[WebhookDelivery]) -> int:
    waiting = deliveries.filter(state=State.PENDING)
    return waiting.update(state=State.CANCELLED, finished_at=timezone.now(), next_attempt_at=None)


def enqueue_attempt(delivery: WebhookDelivery, at: datetime | None = None) -> None:
    """Queue an attempt in the caller's transaction, after whatever is more urgent."""
    enqueue(
        WEBHOOK_TOPIC,
        user_id=delivery.user_id,
        payload={"delivery": str(delivery.pk)},
        scope=ConsentScope.MEMORY_LEARNING if delivery.event in OF_MEMORY else "",
        priority=Priority.LOW,
        available_at=at,
    )


def _queue_delivery(webhook: Webhook, event: WebhookEvent, subject_id: UUID) -> WebhookDelivery:
    now = timezone.now()
    with transaction.atomic():
        delivery = WebhookDelivery.objects.create(
            user_id=webhook.user_id,
            webhook=webhook,
            event=event,
            subject_id=subject_id,
            next_attempt_at=now,
            give_up_at=now + GIVE_UP_AFTER,
            created_at=now,
        )
        enqueue_attempt(delivery)
    return delivery
