"""The model of research results that might become training examples."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData


class TrainingAssetCandidate(Erasable):
    """A research object that might one day be a training example: named, never copied.

    No model is trained on it. Withdrawing the consent to training revokes it at once; no later grant restores it.
    """

    class Status(models.TextChoices):
        PENDING = "pending", _("Waits for a review")
        ACCEPTED = "accepted", _("Accepted")
        REJECTED = "rejected", _("Turned down")

    class Withdrawal(models.TextChoices):
        NONE = "none", _("Consent holds")
        REVOKED = "revoked", _("Consent taken back")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    object_ref = models.CharField(max_length=60)  # "snapshot:<id>", "refresh:<id>" or "checkpoint:<id>"
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.PENDING)
    withdrawal_status = models.CharField(max_length=7, choices=Withdrawal.choices, default=Withdrawal.NONE)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.UUIDField(null=True, blank=True)  # an operator, whose account may be gone
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[TrainingAssetCandidate]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.TRAINING_USE,
        on_withdrawal=OnWithdrawal.REVOKE,
        export="training_candidates/candidates.jsonl",
        withheld=("reviewed_by",),
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("training candidate")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "object_ref"], name="one_candidate_per_object")
        ]

    def __str__(self) -> str:
        return pgettext("row", "Training candidate %s") % self.pk
