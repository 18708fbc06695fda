"""Feedback of users, and the log of reversals observed in it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, KeptFor, OnWithdrawal, PersonalData


class Feedback(Erasable):
    """A user's rating of and comment on one object, which operators read in a queue.

    ``keywords`` are the lexicon's words found in the comment, ``{"word", "stance"}`` each; ``note`` is what the
    operator who saw it wrote about it.
    """

    class Kind(models.TextChoices):
        """The kinds of objects that ``object_ref`` names."""

        SNAPSHOT = "snapshot", _("Snapshot")
        THREAD = "thread", _("Thread")
        CHECKPOINT = "checkpoint", _("Before a decision")
        REFRESH = "refresh", _("A later look")
        REPORT = "report", _("Report")
        MEMORY = "memory", _("Memory")
        MESSAGE = "message", _("Message")
        EVENT = "event", _("Event")
        PROFILE = "profile", _("Portrait")

    class Rating(models.TextChoices):
        THUMBS_UP = "thumbs_up", _("Thumbs up")
        THUMBS_DOWN = "thumbs_down", _("Thumbs down")
        HELPFUL = "helpful", _("Helpful")
        NOT_HELPFUL = "not_helpful", _("Not helpful")
        AGREE = "agree", _("Agree")
        DISAGREE = "disagree", _("Disagree")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    object_ref = models.CharField(max_length=120)  # "<kind>:<id>"
    object_kind = models.CharField(max_length=10, blank=True)  # of its cognition object: asset, theme, event
    object_name = models.CharField(max_length=200, blank=True)
    rating = models.CharField(max_length=11, choices=Rating.choices)
    comment = models.CharField(max_length=1_000, blank=True)
    keywords = models.JSONField(default=list, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(_("seen"), null=True, blank=True)
    seen_by = models.UUIDField(null=True, blank=True)  # an operator, whose account may be gone
    note = models.CharField(max_length=500, blank=True)

    objects: ClassVar[VisibleManager[Feedback]] = VisibleManager()
    personal_data = PersonalData(export="feedback/feedback.jsonl", withheld=("seen_by",), kept=KeptFor.RESEARCH)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("feedback")
        verbose_name_plural = _("feedback")
        indexes: ClassVar = [
            models.Index(fields=["user", "object_ref", "-created_at"], name="feedback_on_object"),
            models.Index(
                fields=["user", "object_kind", "object_name", "-created_at"],
                name="feedback_on_cognition_object",
                condition=~Q(object_name=""),
            ),
            models.Index(fields=["created_at"], name="feedback_to_read", condition=Q(seen_at=None)),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Feedback %s") % self.pk

    @property
    def kind(self) -> Kind:
        """The kind of object it is on."""
        return self.Kind(self.object_ref.partition(":")[0])


class DriftSignal(Erasable):
    """One observed reversal of a user's stance. Append-only by grants; users find it in their export, on no page.

    ``prior_signal`` and ``current_signal`` are ``{"value", "captured_at", "captured_in_object_ref"}``. It changes
    neither profile nor personalization.
    """

    class Kind(models.TextChoices):
        GRADE_REVERSAL = "grade_reversal", _("A rating turned round")
        FEEDBACK_CONFLICT = "feedback_conflict", _("Comments contradict each other")
        REFRESH_STANCE_FLIP = "refresh_stance_flip", _("A refresh turned the thesis round")
        WATCH_QUESTION_REOPENED = "watch_question_resolved_then_reopened", _("A resolved question was reopened")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    drift_id = models.CharField(max_length=48)  # drift_<iso>_<six of a hash>
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    object_ref = models.CharField(max_length=120)
    cognition_object = models.JSONField(default=dict, blank=True)  # {"kind", "name"}
    signal_kind = models.CharField(max_length=40, choices=Kind.choices)
    prior_signal = models.JSONField()
    current_signal = models.JSONField()
    delta_summary = models.TextField()
    triggers_alert = models.BooleanField()
    schema_version = models.CharField(max_length=5, default="1.0")
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[DriftSignal]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.SAVE_TO_PROFILE,
        on_withdrawal=OnWithdrawal.PURGE,
        export="persona_drift/{drift_id}.json",
        memory="drift",
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("drift signal")
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "drift_id"], name="one_drift_signal_per_id")]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="drift_of"),
            models.Index(fields=["-created_at"], name="drift_lately"),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Drift signal %s") % self.pk
