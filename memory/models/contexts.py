from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from foundation.ids import new_id
from foundation.personal_data import OnWithdrawal, PersonalData, Scope


class UserContext(models.Model):
    """What somebody stated about how they work (M-1), kept under ``save_to_profile``."""

    class ContextScope(models.TextChoices):
        PROFILE = "profile", _("Profile")

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        CHINESE = "zh", "中文"

    class ResearchDepth(models.TextChoices):
        QUICK = "quick", _("Quick")
        STANDARD = "standard", _("Standard")
        DEEP = "deep", _("Deep")

    class RiskPrompt(models.TextChoices):
        BALANCED = "balanced", _("Balanced")
        COUNTER_FIRST = "counter_first", _("Counter-arguments first")
        RISK_FIRST = "risk_first", _("Risks first")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=10, choices=ContextScope.choices, default=ContextScope.PROFILE)
    language_preference = models.CharField(_("language"), max_length=2, choices=Language.choices, blank=True)
    research_depth = models.CharField(_("research depth"), max_length=10, choices=ResearchDepth.choices, blank=True)
    risk_prompt_preference = models.CharField(
        _("how to speak of risk"), max_length=15, choices=RiskPrompt.choices, blank=True
    )
    user_focus_reason = models.CharField(_("what you care about"), max_length=500, blank=True)
    research_style = models.CharField(_("research style"), max_length=500, blank=True)
    user_stated_position_context = models.CharField(_("positions"), max_length=500, blank=True)
    time_horizon = models.CharField(_("time horizon"), max_length=200, blank=True)
    constraints = models.CharField(_("constraints"), max_length=500, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    history = HistoricalRecords(cascade_delete_history=True)
    personal_data = PersonalData(
        scope=Scope.SAVE_TO_PROFILE, on_withdrawal=OnWithdrawal.DELETE, export="user_contexts/_profile/{id}.json"
    )

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "scope"], name="one_profile_context")]

    def __str__(self) -> str:
        return f"Context {self.pk}"
