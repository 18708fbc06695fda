"""Stores the evidence that the person behind a managed account agreed, as the organisation serving them records it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData

STATEMENT_CHARS, REFERENCE_CHARS = 2_000, 200


class ConsentEvidence(models.Model):
    """When and to what somebody agreed: the ``statement`` (text) that was shown to them, or the ``reference`` to a
    record of it.

    ``consent_version`` is the version of the consent that it supports; ``recorded_by`` is the id of the service token.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consent_evidence")
    tenant_id = models.UUIDField()
    consent_version = models.PositiveIntegerField()
    agreed_at = models.DateTimeField()
    statement = models.CharField(max_length=STATEMENT_CHARS, blank=True)
    reference = models.CharField(max_length=REFERENCE_CHARS, blank=True)
    recorded_by = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(export="consents/evidence.json", withheld=("recorded_by",), kept=KeptFor.PROOF)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("evidence of consent")
        verbose_name_plural = _("evidence of consent")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~models.Q(statement="", reference=""), name="consent_evidence_names_something"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="latest_consent_evidence")]

    def __str__(self) -> str:
        return pgettext("row", "Evidence of consent %s") % self.pk
