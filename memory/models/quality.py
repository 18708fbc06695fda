"""The model of reports that judge a release by the acceptance table."""

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
