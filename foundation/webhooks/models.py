"""Webhooks of users, and the events that were or will be sent to them."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar, Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData

KEEP_DELIVERIES: Final = timedelta(days=30)


class WebhookEvent(models.TextChoices):
    """Kinds of events that can be sent. An event holds the id of a row and none of its text."""

    MEMORY_LEARNED = "memory.learned", _("a memory was learned")
    MEMORY_CHANGED = "memory.changed", _("a memory changed")
    MEMORY_FORGOTTEN = "memory.forgotten", _("a memory was forgotten")
    ERASURE_COMPLETED = "erasure.completed", _("an erasure was completed")
    EXPORT_READY = "export.ready", _("a copy of your data is ready")
    TASK_DONE = "task.done", _("a long task ended")
    PING = "ping", _("a test")


MAX_URL_CHARS: Final = 500
"""How long the address of a webhook may be."""
SUBSCRIBABLE: Final = tuple(event for event in WebhookEvent if event is not WebhookEvent.PING)
OF_MEMORY: Final = frozenset({WebhookEvent.MEMORY_LEARNED, WebhookEvent.MEMORY_CHANGED})
"""Events that are sent only while the user consents to learning; that something was forgotten is always sent."""


class Webhook(models.Model):
    """A user's address to which ``events`` are sent; ``previous_secret`` signs as well until ``previous_until``.

    ``failures`` counts those in a row; nothing is sent before ``paused_until``, which grows with them.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    url = models.CharField(_("address"), max_length=MAX_URL_CHARS)
    events = ArrayField(models.CharField(max_length=20, choices=WebhookEvent.choices))
    is_active = models.BooleanField(_("active"), default=True)
    secret = models.CharField(max_length=80)
    previous_secret = models.CharField(max_length=80, blank=True)
    previous_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    paused_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(
        export="webhooks/webhooks.json",
        withheld=("secret", "previous_secret", "previous_until", "failures", "paused_until"),
        kept=KeptFor.ACCESS,
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="my_webhooks")]

    def __str__(self) -> str:
        return pgettext("row", "Webhook %s") % self.pk


class WebhookDelivery(models.Model):
    """One event for one webhook; its id is the ``webhook-id`` of every attempt. ``subject_id`` names the row."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        FAILED = "failed", _("Given up")
        CANCELLED = "cancelled", _("Cancelled")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=20, choices=WebhookEvent.choices)
    subject_id = models.UUIDField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    status_code = models.PositiveSmallIntegerField(null=True, blank=True)  # of the last answer
    failure = models.CharField(max_length=20, blank=True)  # why there was none, or it was refused
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    give_up_at = models.DateTimeField()
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(
        retention=KEEP_DELIVERIES,
        export="webhooks/deliveries.jsonl",
        withheld=("next_attempt_at", "give_up_at"),
        kept=KeptFor.WORK,
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        indexes: ClassVar = [
            models.Index(fields=["webhook", "-created_at"], name="deliveries_of_a_webhook"),
            models.Index(fields=["created_at"], name="deliveries_by_time"),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Delivery %s") % self.pk
