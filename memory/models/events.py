"""Models of the events that the historian writes, and of the jobs that write them."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import ChatGroup
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData
from memory.models.sessions import Session

SCHEMA_VERSION = "final_v1"  # of an event in exports and in the API


class CognitiveJob(Erasable):
    """An ``end`` call, which hands messages to the historian; its outbox row holds only this row's id."""

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
        scope=ConsentScope.MEMORY_LEARNING, on_withdrawal=OnWithdrawal.PURGE, export="events/ends.jsonl"
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "request_id", "end_seq"], name="one_job_per_end"),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Historian job %s") % self.pk

    @property
    def event_id(self) -> str:
        """The id ``request_id:end_seq``, stable under retries and repeated calls."""
        return f"{self.request_id}:{self.end_seq}"


class CognitiveEvent(Erasable):
    """One thing that happened or was decided, in absolute words, with its metadata.

    A job that reports several things gives one row for each, with the same ``event_id`` and different ``part``.
    ``sources`` names the sentences that the event was made of; it is empty where no messages were named.
    """

    class RequestType(models.TextChoices):
        GROUP = "group", _("Group")
        PRIVATE = "private", _("Private")

    class Perspective(models.TextChoices):
        SENDER = "sender", _("Person")
        GROUP = "group", _("Group")

    class Rewriting(models.TextChoices):
        """Whether an event from the time when one event could report several things is to be rewritten."""

        NONE = "", _("None")
        WAITS = "waits", _("Waits")
        KEPT = "kept", _("Kept as it was")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    event_id = models.CharField(max_length=100)
    perspective = models.CharField(max_length=10, choices=Perspective.choices)
    part = models.PositiveSmallIntegerField(default=0, db_default=0)  # number of the event within its job, from 0
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    request_id = models.CharField(max_length=80)
    end_seq = models.PositiveIntegerField()
    canonical_text = models.TextField()
    did_what = models.TextField(blank=True)
    new_info = models.TextField(blank=True)
    timestamp_utc = models.DateTimeField()  # when it was said
    timestamp_local = models.CharField(max_length=40)  # RFC 3339 with the event's own offset
    timezone = models.CharField(max_length=64)
    speaks_of_start = models.DateTimeField(null=True, blank=True)  # the time that its words name, if they do
    speaks_of_end = models.DateTimeField(null=True, blank=True)  # exclusive
    location_abs = models.CharField(max_length=120, blank=True)
    request_type = models.CharField(max_length=10, choices=RequestType.choices)
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    message_ids = ArrayField(models.UUIDField(), default=list, blank=True)
    sources = models.JSONField(default=list, blank=True, db_default=[])  # {"message": id, "quote": its own sentence}
    has_new_info = models.BooleanField()
    schema_version = models.CharField(max_length=20, default=SCHEMA_VERSION)
    unresolved = models.JSONField(default=list, blank=True)  # objections left, and what was not resolved
    rewritten_by = models.CharField(max_length=80)
    consent_version = models.PositiveIntegerField()
    rewriting = models.CharField(
        max_length=5, choices=Rewriting.choices, default=Rewriting.NONE, db_default="", blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[CognitiveEvent]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        export="events/events.jsonl",
        memory="event",
    )

    class Meta:
        ordering = ("-timestamp_utc",)
        verbose_name = _("event")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "event_id", "perspective", "part"], name="one_part_per_event_and_perspective"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-timestamp_utc"], name="my_events"),
            models.Index(fields=["group", "-timestamp_utc"], name="group_events", condition=Q(group__isnull=False)),
            models.Index(fields=["user", "id"], name="events_to_be_rewritten", condition=Q(rewriting="waits")),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Event %s") % self.pk

    @property
    def ref(self) -> str:
        """The reference of this part: ``event_id`` and its number, ``r1:1.2``.

        The first part of an event without ``sources`` has the ``event_id`` alone: its parts are forgotten together.
        """
        return f"{self.event_id}.{self.part}" if self.part or self.sources else self.event_id
