"""Models of reports that judge a release by the acceptance table, and of what is to be followed up."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.ids import new_id


class AcceptanceReport(models.Model):
    """One judgement of a release by the eleven rows of the acceptance table, kept for audits.

    ``rows`` holds figures and verdicts of the whole installation, nothing of any person. Append-only by grants.
    """

    class Verdict(models.TextChoices):
        PASS = "pass", _("Pass")
        OBSERVE = "observe", _("Observe")
        FAIL = "fail", _("Fail")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    release = models.CharField(max_length=80)
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    rows = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-id")
        verbose_name = _("release report")
        indexes: ClassVar = [models.Index(fields=["-created_at"], name="latest_reports")]

    def __str__(self) -> str:
        return f"{self.release}: {self.get_verdict_display()}"


class TrackingEntry(models.Model):
    """A measure of the acceptance table that a release was observed at: to be followed up until a release passes it.

    ``releases`` counts the releases in a row, ``latest`` is the last of their reports. A measure has one open entry.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    number = models.PositiveSmallIntegerField()  # of the row in the table
    measure = models.CharField(max_length=40)
    opened_by = models.ForeignKey(AcceptanceReport, on_delete=models.PROTECT, related_name="+")
    latest = models.ForeignKey(AcceptanceReport, on_delete=models.PROTECT, related_name="+")
    releases = models.PositiveSmallIntegerField(default=1)
    is_blocking = models.BooleanField(default=False)  # the last release failed for it
    closed_by = models.ForeignKey(AcceptanceReport, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "number")
        verbose_name = _("tracking entry")
        verbose_name_plural = _("tracking entries")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["number"], condition=models.Q(closed_at=None), name="one_open_entry_a_measure"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.measure}"
