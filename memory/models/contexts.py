"""Models of what users state about how they work: for themselves, for a thread, for one task."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from simple_history.models import HistoricalRecords

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, KeptFor, OnWithdrawal, PersonalData
from memory.models.research import ResearchTask, Thread

TASK_CONTEXT_KEPT = timedelta(hours=24)  # after the task's end


class StatedContext(models.Model):
    """What a user stated about how they work, in any scope."""

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

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return pgettext("row", "Context %s") % str(self.pk)


class KeptContext(StatedContext):
    """A context stored beyond one task.

    Financial fields are read only while ``financial_confirmed`` is set: the user agreed to have them stored, in the
    request that stated them.
    """

    financial_confirmed = models.BooleanField(default=False)

    class Meta:
        abstract = True


class UserContext(KeptContext):
    """The context in profile scope: stored under the consent ``save_to_profile``, written by the user alone.

    With ``training_excluded`` no training example may use it, because the user withdrew the consent to training; it is
    used otherwise as before. A later grant does not remove the mark; only deleting all of the text does.
    """

    class ContextScope(models.TextChoices):
        PROFILE = "profile", _("Profile")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=10, choices=ContextScope.choices, default=ContextScope.PROFILE)
    training_excluded = models.BooleanField(_("kept out of training"), default=False)
    updated_at = models.DateTimeField(auto_now=True)

    # The author of a version may be erased while the version stays: the history stores only their id, no foreign key.
    history = HistoricalRecords(
        cascade_delete_history=True, history_user_id_field=models.UUIDField(null=True, blank=True)
    )
    personal_data = PersonalData(
        scope=ConsentScope.SAVE_TO_PROFILE,
        on_withdrawal=OnWithdrawal.DELETE,
        export="user_contexts/_profile/{id}.json",
        memory="profile",
        excludable=True,
    )

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "scope"], name="one_profile_context")]


class ThreadContext(Erasable, KeptContext):
    """A context in thread scope, stored under the consent ``save_to_thread``.

    Each refresh that states something adds a row; none is overwritten. With ``consent_blocked`` the user can still read
    it, but it is no longer used.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="contexts")
    consent_blocked = models.BooleanField(default=False)

    objects: ClassVar[VisibleManager[ThreadContext]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.SAVE_TO_THREAD,
        on_withdrawal=OnWithdrawal.BLOCK,
        export="user_contexts/_thread/{thread_id}/{id}.json",
        memory="thread",
    )

    class Meta:
        ordering = ("created_at",)
        indexes: ClassVar = [models.Index(fields=["thread", "created_at"], name="contexts_of_thread")]


class TaskContext(Erasable, StatedContext):
    """The context one task ran with, deleted 24 hours after the task's end.

    It may come from the task's request or from a wider scope. ``note`` says what the result means for the user in this
    context: an array of ``{"text", "dated_at", "sources"}``.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    task = models.OneToOneField(ResearchTask, on_delete=models.CASCADE, related_name="context_used")
    note = models.JSONField(default=list, blank=True)
    expires_at = models.DateTimeField()

    objects: ClassVar[VisibleManager[TaskContext]] = VisibleManager()
    personal_data = PersonalData(
        retention=timedelta(0),
        clock="expires_at",
        export="user_contexts/_task/{id}.json",
        memory="task",
        kept=KeptFor.RESEARCH,
    )
