"""Webhooks of a user: made, changed and removed; and an event published, with a delivery for each that wants it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.database.bulk_insert import insert_rows
from foundation.exceptions import ValidationFailed, require_found
from foundation.outbox.models import Priority
from foundation.outbox.services import enqueue_all
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
    return publish_all(user_id, event, [subject_id])


def publish_all(user_id: UUID, event: WebhookEvent, subject_ids: Collection[UUID]) -> int:
    """Publish one event of many rows at once; returns how many deliveries were made."""
    if not subject_ids:
        return 0
    wanting = list(Webhook.objects.filter(user_id=user_id, is_active=True, events__contains=[event]))
    now = timezone.now()
    deliveries = [_new_delivery(webhook, event, subject, now) for subject in subject_ids for webhook in wanting]
    insert_rows(deliveries)
    enqueue_attempts(deliveries, now)
    return len(deliveries)


def webhooks_of(user_id: UUID) -> QuerySet[Webhook]:
    """The user's webhooks, the latest first."""
    return Webhook.objects.filter(user_id=user_id).order_by("-created_at", "-id")


def webhook_of(user_id: UUID, webhook_id: UUID) -> Webhook:
    """One of the user's webhooks. Raises ``NotFound``."""
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
    nowhere = _("This address leads to no host of the public internet.")  # tells nobody which names there are inside
    words = {
        "malformed": _("Give an address such as https://example.com/hook."),
        "not_found": nowhere,
        "private": nowhere,
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
    changed = {"events"}
    if url is not None and url != webhook.url:
        webhook.url, webhook.failures, webhook.paused_until = url, 0, None
        changed |= {"url", "failures", "paused_until"}
    webhook.events = webhook.events if events is None else sorted(set(events))
    if is_active is not None:
        webhook.is_active = is_active
        changed.add("is_active")
    webhook.save(update_fields=changed)
    if not webhook.is_active:
        cancel(deliveries_of(webhook))
    return webhook


def rotate_secret(webhook: Webhook) -> Webhook:
    """A new secret; the one before signs beside it for a day."""
    webhook.previous_secret, webhook.previous_until = webhook.secret, timezone.now() + PREVIOUS_SECRET_FOR
    webhook.secret = new_secret()
    webhook.save(update_fields=["secret", "previous_secret", "previous_until"])
    return webhook


def ping(webhook: Webhook) -> WebhookDelivery:
    """Queue a test, which names the webhook itself; the one that waits, if any. Raises as ``resend``."""
    _require_active(webhook)
    waiting = deliveries_of(webhook).filter(event=WebhookEvent.PING, state=State.PENDING).first()
    if waiting is not None:
        return waiting
    now = timezone.now()
    delivery = _new_delivery(webhook, WebhookEvent.PING, webhook.pk, now)
    delivery.save(force_insert=True)
    enqueue_attempts([delivery], now)
    return delivery


def resend(delivery: WebhookDelivery) -> WebhookDelivery:
    """Tell an event once more, under the same id, with a fresh day of attempts. One that waits is tried at once.

    Raises ``ValidationFailed`` while the webhook is off. An attempt under way counts no longer.
    """
    now = timezone.now()
    webhook = require_found(lock_webhook(delivery.webhook_id))
    _require_active(webhook)
    webhook.paused_until = None
    webhook.save(update_fields=["paused_until"])
    delivery.state, delivery.attempts, delivery.give_up_at = State.PENDING, 0, now + GIVE_UP_AFTER
    delivery.next_attempt_at, delivery.finished_at = now, None
    delivery.save(update_fields=["state", "attempts", "give_up_at", "next_attempt_at", "finished_at"])
    enqueue_attempts([delivery], now)
    return delivery


def lock_webhook(webhook_id: UUID) -> Webhook | None:
    """The webhook, locked until the transaction ends; lock it before any delivery of it."""
    return Webhook.objects.select_for_update().filter(pk=webhook_id).first()


def _require_active(webhook: Webhook) -> None:
    if not webhook.is_active:
        raise ValidationFailed(details={"is_active": [_("This webhook is switched off. Switch it on first.")]})


def cancel_memory_events(user_id: UUID) -> int:
    """Give up what waits to be told of memories, whose consent was withdrawn; answers how many."""
    return cancel(WebhookDelivery.objects.filter(user_id=user_id, event__in=OF_MEMORY))


def cancel(deliveries: QuerySet[WebhookDelivery]) -> int:
    """Give up those that wait; answers how many."""
    waiting = deliveries.filter(state=State.PENDING)
    return waiting.update(state=State.CANCELLED, finished_at=timezone.now(), next_attempt_at=None)


def enqueue_attempts(deliveries: Sequence[WebhookDelivery], at: datetime) -> None:
    """Queue the next attempt of deliveries of one event, in the caller's transaction, after whatever is more urgent.

    Each names its moment: of a delivery that was put off or sent again since, it is the attempt no longer.
    """
    if deliveries:
        enqueue_all(
            WEBHOOK_TOPIC,
            [{"delivery": str(delivery.pk), "due": at.isoformat()} for delivery in deliveries],
            user_id=deliveries[0].user_id,
            scope=ConsentScope.MEMORY_LEARNING if deliveries[0].event in OF_MEMORY else "",
            priority=Priority.LOW,
            available_at=at,
        )


def _new_delivery(webhook: Webhook, event: WebhookEvent, subject_id: UUID, now: datetime) -> WebhookDelivery:
    return WebhookDelivery(
        user_id=webhook.user_id,
        webhook=webhook,
        event=event,
        subject_id=subject_id,
        next_attempt_at=now,
        give_up_at=now + GIVE_UP_AFTER,
        created_at=now,
    )
