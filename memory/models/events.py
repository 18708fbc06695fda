from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import ChatGroup
from foundation.ids import new_id
from foundation.personal_data import OnWithdrawal, PersonalData, Scope
from memory.models.sessions import Session

SCHEMA_VERSION = "final_v1"  # seed D §2.2


class CognitiveJob(Erasable):
    """What an ``end`` handed to the historian (M-40); the outbox row beside it holds only this row's id."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, related_name="+")
    request_id = models.CharField(max_length=80)
    end_seq = models.PositiveIntegerField(default=1)
    action_summary = models.TextField(blank=True)
    new_info = models.TextField(blank=True)
    occurred_at = models.DateTimeField()
    time_zone = models.CharField(max_length=64)
    location = models.CharField(max_length=120, blank=True)
    sender_name = models.CharField(max_length=60)
    message_ids = ArrayField(models.UUIDField(), default=list, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[CognitiveJob]] = VisibleManager()
    personal_data = PersonalData(
        scope=Scope.MEMORY_LEARNING, on_withdrawal=OnWithdrawal.PURGE, export="events/ends.jsonl"
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "request_id", "end_seq"], name="one_job_per_end"),
        ]

    def __str__(self) -> str:
        return f"Historian job {self.pk}"

    @property
    def event_id(self) -> str:
        """``request_id:end_seq`` (seed D §1.5): stable under retries and repeated calls."""
        return f"{self.request_id}:{self.end_seq}"


class CognitiveEvent(Erasable):
    """One absolute sentence about what happened (M-43), with all metadata of seed D §2.2."""

    class RequestType(models.TextChoices):
        GROUP = "group", _("Group")
        PRIVATE = "private", _("Private")

    class Perspective(models.TextChoices):
        SENDER = "sender", _("Person")
        GROUP = "group", _("Group")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    event_id = models.CharField(max_length=100)
    perspective = models.CharField(max_length=10, choices=Perspective.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    request_id = models.CharField(max_length=80)
    end_seq = models.PositiveIntegerField()
    canonical_text = models.TextField()
    did_what = models.TextField(blank=True)
    new_info = models.TextField(blank=True)
    timestamp_utc = models.DateTimeField()
    timestamp_local = models.CharField(max_length=40)  # RFC 3339 with the event's own offset
    timezone = models.CharField(max_length=64)
    location_abs = models.CharField(max_length=120, blank=True)
    request_type = models.CharField(max_length=10, choices=RequestType.choices)
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    message_ids = ArrayField(models.UUIDField(), default=list, blank=True)
    has_new_info = models.BooleanField()
    schema_version = models.CharField(max_length=20, default=SCHEMA_VERSION)
    unresolved = models.JSONField(default=list, blank=True)  # what the gates still object to, or nobody could resolve
    rewritten_by = models.CharField(max_length=80)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[CognitiveEvent]] = VisibleManager()
    personal_data = PersonalData(
        scope=Scope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        export="events/events.jsonl",
        memory="event",
    )

    class Meta:
        ordering = ("-timestamp_utc",)
        verbose_name = _("event")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "event_id", "perspective"], name="one_event_per_perspective"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-timestamp_utc"], name="my_events"),
            models.Index(fields=["group", "-timestamp_utc"], name="group_events", condition=Q(group__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"Event {self.pk}"
