"""Operators' requests to erase something for a person who asked for it; a second operator approves or declines."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models.erasure import ErasureScope, Sources, Tombstone
from foundation.ids import new_id
from foundation.personal_data import OnErasure, PersonalData

PENDING_FOR = timedelta(days=7)  # without a second operator's decision


class ErasureRequest(models.Model):
    """An erasure that one operator requests for a person, and another operator approves. Kept for ever.

    ``reference`` names the person's request, such as a ticket: one token, never their words. ``target_id`` is the id of
    the row as operators see it, for the scopes that name one.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting for a second person")
        APPROVED = "approved", _("Approved")
        DECLINED = "declined", _("Declined")
        EXPIRED = "expired", _("Expired")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user_id = models.UUIDField()
    scope = models.CharField(_("scope"), max_length=10, choices=ErasureScope.choices)
    target_id = models.UUIDField(_("id of the row"), null=True, blank=True)
    sources = models.CharField(_("source messages"), max_length=6, choices=Sources.choices, default=Sources.REDACT)
    reference = models.CharField(
        _("reference of the request"),
        max_length=40,
        validators=[RegexValidator(r"^[\w./#-]+\Z", _("One word: letters, digits and . / # - _ alone."))],
        help_text=_("Of the ticket or letter in which the person asked for it. Nothing that they wrote."),
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    asked_by = models.UUIDField()
    asked_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    decided_by = models.UUIDField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    tombstone = models.OneToOneField(Tombstone, on_delete=models.PROTECT, null=True, blank=True, related_name="request")

    personal_data = PersonalData(
        on_erasure=OnErasure.KEEP,
        clock="asked_at",
        export="erasures/requests.jsonl",
        withheld=("asked_by", "decided_by"),
    )

    class Meta:
        ordering = ("-asked_at",)
        verbose_name = _("request of erasure")
        verbose_name_plural = _("requests of erasure")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~Q(state="approved")
                | (Q(decided_by__isnull=False, tombstone__isnull=False) & ~Q(decided_by=F("asked_by"))),
                name="erasure_approved_by_another",
            ),
            models.CheckConstraint(
                condition=~Q(asked_by=F("user_id")) & (Q(decided_by=None) | ~Q(decided_by=F("user_id"))),
                name="erasure_requested_by_others",
            ),
            models.UniqueConstraint(
                fields=["user_id", "scope", "target_id"],
                condition=Q(state="pending"),
                nulls_distinct=False,
                name="one_pending_erasure_request",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["expires_at"], name="pending_erasure_requests", condition=Q(state="pending"))
        ]

    def __str__(self) -> str:
        return pgettext("row", "Request of erasure %s") % self.pk
