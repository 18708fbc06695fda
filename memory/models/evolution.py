"""The model of changes of memory items: what happened, by which rule, on what grounds."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData
from memory.models.items import MemoryItem


class EvolutionEvent(models.Model):
    """One change of a memory item: what happened, by which rule, on what grounds, and whether it was undone.

    ``inputs`` are ids and numbers that the rule used; ``before`` and ``after`` hold the changed fields of ``item``
    other than text (state, confidence, epistemic type, validity). Text is stored only in the item's versions.
    """

    class Action(models.TextChoices):
        ADDED = "added", _("Learned")
        SUPERSEDED = "superseded", _("Replaced by a newer statement")
        RETIRED = "retired", _("Found no longer true")
        CONFIRMED = "confirmed", _("Confirmed")
        CORRECTED = "corrected", _("Corrected")
        QUARANTINED = "quarantined", _("Set aside until you decide")
        ACCEPTED = "accepted", _("Accepted")
        REJECTED = "rejected", _("Rejected")
        MERGED = "merged", _("Merged with what says the same")
        RESOLVED = "resolved", _("A contradiction was settled")
        CALIBRATED = "calibrated", _("Became more or less sure")
        NUDGED = "nudged", _("Became a little more or less sure")
        FUSED = "fused", _("Held back after it was called wrong")
        OUTDATED = "outdated", _("Marked as out of date")
        UNDONE = "undone", _("A change was undone")

    class Actor(models.TextChoices):
        PERSON = "person", _("you")
        PIPELINE = "pipeline", _("learning from conversation")
        GOVERNOR = "governor", _("regular upkeep")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(MemoryItem, on_delete=models.CASCADE, related_name="changes")
    chain_id = models.UUIDField()
    action = models.CharField(max_length=12, choices=Action.choices)
    actor = models.CharField(max_length=10, choices=Actor.choices)
    rule = models.CharField(max_length=80, blank=True)
    inputs = models.JSONField(default=dict, blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING, on_withdrawal=OnWithdrawal.PURGE, export="memory_items/changes.jsonl"
    )

    class Meta:
        ordering = ("created_at", "id")
        verbose_name = _("change of a memory")
        verbose_name_plural = _("changes of memories")
        indexes: ClassVar = [
            models.Index(fields=["user", "chain_id", "created_at"], name="changes_of_a_chain"),
            models.Index(fields=["user", "-created_at"], name="my_changes"),
            models.Index(fields=["created_at"], name="fuses_by_time", condition=models.Q(action="fused")),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Change %s") % self.pk
