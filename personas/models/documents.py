"""Models of persona documents, in two tables because they have different owners.

SOUL and IDENTITY belong to an organisation or, without a tenant, to everybody: members read them, operators write them.
USER belongs to one user, and only that user writes it, under their consent.
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from simple_history.models import HistoricalRecords

from foundation.accounts.models import Tenant
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData

MAX_CHARS = 4_000
"""More than twice what a prompt takes: what a prompt cannot take is cut, but a longer document is refused."""


class PersonaDocument(models.Model):
    """A persona document of an organisation. Written through ``personas.services.documents`` alone."""

    class Kind(models.TextChoices):
        SOUL = "soul", _("Soul: how it thinks and speaks")
        IDENTITY = "identity", _("Identity: who it is")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("Empty: for everybody whose organisation has none of its own."),
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    body = models.TextField(_("text"), validators=[MaxLengthValidator(MAX_CHARS)])
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    # An operator's account may be erased while what they wrote stays: the history stores only their id, no foreign key.
    history = HistoricalRecords(
        cascade_delete_history=True, history_user_id_field=models.UUIDField(null=True, blank=True)
    )

    class Meta:
        ordering = ("kind", "-updated_at")
        verbose_name = _("persona document")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "kind"], nulls_distinct=False, name="one_persona_document_of_a_kind"
            )
        ]

    def __str__(self) -> str:
        return pgettext("row", "Persona document %s") % self.pk


class UserDocument(models.Model):
    """The USER document: how a user wants to be served, stored under ``save_to_profile``."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    body = models.TextField(_("text"), validators=[MaxLengthValidator(MAX_CHARS)])
    version = models.PositiveIntegerField(default=1, editable=False)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    history = HistoricalRecords(
        cascade_delete_history=True, history_user_id_field=models.UUIDField(null=True, blank=True)
    )
    personal_data = PersonalData(
        scope=ConsentScope.SAVE_TO_PROFILE, on_withdrawal=OnWithdrawal.DELETE, export="personas/user/{id}.md"
    )

    class Meta:
        verbose_name = _("own persona text")
        verbose_name_plural = _("own persona texts")

    def __str__(self) -> str:
        return pgettext("row", "User document %s") % self.pk
