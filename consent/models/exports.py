"""Exports that users requested."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.long_tasks import LongTaskRow
from foundation.personal_data import KeptFor, PersonalData

KEEP_EXPORTS = timedelta(days=7)


class DataExport(LongTaskRow):
    """One archive of everything about a person: requested, built in the background, downloadable until it expires.

    Its file is named after its id; it is deleted when the link expires or something of the user's is erased.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        BUILDING = "building", _("Being built")
        READY = "ready", _("Ready")
        FAILED = "failed", _("Failed")
        EXPIRED = "expired", _("Expired")
        CANCELLED = "cancelled", _("Cancelled")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    progress = models.PositiveSmallIntegerField(default=0)  # per cent
    size = models.PositiveBigIntegerField(null=True, blank=True)  # bytes
    sha256 = models.CharField(max_length=64, blank=True)
    source = models.CharField(max_length=10)  # web, api, operator, command
    error_class = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(
        retention=KEEP_EXPORTS,
        export="exports/exports.json",
        withheld=("progress", "error_class", "is_unseen"),
        kept=KeptFor.WORK,
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("export")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(progress__lte=100), name="export_progress_per_cent"),
            models.CheckConstraint(
                condition=~Q(state="ready") | Q(sha256__gt="", size__isnull=False, expires_at__isnull=False),
                name="export_ready_with_its_digest",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="my_exports")]

    def __str__(self) -> str:
        return pgettext("row", "Export %s") % self.pk
