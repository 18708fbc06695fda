"""The transactional outbox: work committed together with the data it concerns."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.ids import new_id
from foundation.personal_data import KeptFor, OnWithdrawal, PersonalData


class Priority(models.IntegerChoices):
    """Lower runs first."""

    URGENT = 0, _("Urgent")
    NORMAL = 5, _("Normal")
    LOW = 9, _("Low")


class OutboxMessage(models.Model):
    """One job. Payloads hold ids, never text; failures keep a class and an SQLSTATE, never a message."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        PROCESSING = "processing", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")  # the dead letters: attempts used up, an operator may retry
        CANCELLED = "cancelled", _("Cancelled")

    UNFINISHED: ClassVar = (State.PENDING, State.PROCESSING)
    """The states of a job that waits or runs."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    topic = models.CharField(max_length=60)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    payload = models.JSONField(default=dict)
    scope = models.CharField(max_length=30, blank=True)  # the consent scope it runs under
    priority = models.PositiveSmallIntegerField(choices=Priority.choices, default=Priority.NORMAL)
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField()
    available_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    error_class = models.CharField(max_length=80, blank=True)
    error_sqlstate = models.CharField(max_length=5, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(on_withdrawal=OnWithdrawal.CANCEL, kept=KeptFor.WORK)
    is_repeated = False  # of one just queued: its key was there already

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        indexes: ClassVar = [
            models.Index(
                fields=["priority", "available_at"], name="outbox_pending", condition=models.Q(state="pending")
            ),
            models.Index(fields=["leased_until"], name="outbox_leased", condition=models.Q(state="processing")),
            models.Index(fields=["user", "state"], name="outbox_by_user"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.pk}"

    @property
    def is_last_attempt(self) -> bool:
        """Whether this claim is the last: what fails now is a dead letter."""
        return self.attempts >= self.max_attempts
