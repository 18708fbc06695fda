"""The model of receipts of what the assistant ran: tools, skills, steps of research."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData
from memory.models.sessions import Session


class ToolReceipt(models.Model):
    """The outcome of one run of the assistant's: of a tool that a model called, a skill, or a step of research.

    It holds names, codes and numbers, never text: neither what was asked nor what was found. ``run_id`` is the id of
    the reply or of the research task in which it ran; a step names the ``skill`` it belongs to.
    """

    class Kind(models.TextChoices):
        TOOL = "tool", _("Tool")
        SKILL = "skill", _("Skill")
        STEP = "step", _("Step of research")

    class Outcome(models.TextChoices):
        DONE = "done", _("Done")
        BY_RULE = "by_rule", _("Done by rule, without the model")
        REFUSED = "refused", _("Refused")
        FAILED = "failed", _("Failed")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    run_id = models.UUIDField()
    kind = models.CharField(max_length=5, choices=Kind.choices)
    tool = models.CharField(max_length=40)
    skill = models.CharField(max_length=20, blank=True)
    intent_type = models.CharField(max_length=20, blank=True)
    outcome = models.CharField(max_length=7, choices=Outcome.choices)
    error_code = models.CharField(max_length=60, blank=True)
    duration_ms = models.FloatField()
    counts = models.JSONField(default=dict, blank=True)  # by name, of what it found or made
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(export="receipts/tools.jsonl", kept=KeptFor.FIGURES)

    class Meta:
        ordering = ("created_at", "id")
        verbose_name = _("tool receipt")
        verbose_name_plural = _("tool receipts")
        indexes: ClassVar = [
            models.Index(fields=["user", "run_id"], name="tools_of_a_run"),
            BrinIndex(fields=["created_at"], name="tools_by_time"),  # for the counts of agent experience
        ]

    def __str__(self) -> str:
        return pgettext("row", "Tool receipt %s") % self.pk
