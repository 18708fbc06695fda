"""The model of patterns that an organisation's assistant finds in its own work."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.accounts.models import Tenant
from foundation.ids import new_id


class AgentExperience(models.Model):
    """A pattern an organisation's assistant found in its own work: counted, never quoted.

    ``pattern`` is a sentence from a template about kinds of memory, tools and intents; ``statistics`` are the counts
    behind it. It contains no user's text and has no search entry, so a search of a user's memory never finds it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    intent_type = models.CharField(max_length=20)
    subject = models.CharField(max_length=60)  # the kind of memory, the tool, or the step of a skill it is about
    pattern = models.CharField(max_length=200)
    statistics = models.JSONField(default=dict)
    confidence = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("intent_type", "subject")
        verbose_name = _("agent experience")
        verbose_name_plural = _("agent experience")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "intent_type", "subject"], name="one_experience_of_a_kind"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1), name="experience_confidence_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Experience %s") % self.pk
