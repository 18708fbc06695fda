"""The model of proposals to make a memory an organisation's knowledge."""

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
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData
from memory.models.items import MemoryItem


class EvolutionProposal(Erasable):
    """A memory that could become the organisation's knowledge.

    Nothing leaves the user before they agree, and nothing becomes knowledge before an operator approves. ``text`` is
    de-identified; ``statistics`` holds the measured value for each threshold that it passed. Each chain has at most one
    proposal, so that a user who declined is not asked again.
    """

    class State(models.TextChoices):
        CANDIDATE = "candidate", _("Waits for its person")
        AGREED = "agreed", _("Waits for an operator")
        DECLINED = "declined", _("Declined by its person")
        APPROVED = "approved", _("Became knowledge")
        REJECTED = "rejected", _("Turned down by an operator")
        WITHDRAWN = "withdrawn", _("Taken back")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(MemoryItem, on_delete=models.CASCADE, related_name="+")
    chain_id = models.UUIDField()
    tenant_id = models.UUIDField()
    text = models.TextField()
    statistics = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.CANDIDATE)
    agreed_at = models.DateTimeField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.UUIDField(null=True, blank=True)  # an operator, whose account may be gone
    knowledge_id = models.UUIDField(null=True, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[EvolutionProposal]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        export="memory_items/proposals.jsonl",
        withheld=("reviewed_by",),
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("proposal")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "chain_id"], name="one_proposal_per_chain"),
            models.CheckConstraint(
                condition=~Q(state="approved") | Q(agreed_at__isnull=False), name="nothing_approved_unagreed"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="my_proposals"),
            models.Index(fields=["-agreed_at"], name="proposals_to_review", condition=Q(state="agreed")),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Proposal %s") % self.pk
