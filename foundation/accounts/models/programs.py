"""Programs that a user let act in their name, by OAuth."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.accounts.models.people import User
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData

PROGRAM_NAME_CHARS = 80
RESOURCE_CHARS = 300


class ConnectedProgram(models.Model):
    """A program that a user connected; ``revoked_at`` where it is no longer.

    ``name`` is what it called itself, ``scopes`` what the user allows it, ``resource`` the address its tokens are for.
    ``withheld_kinds`` are the kinds of memory that it neither sees nor writes; connecting it anew changes none. Its
    tokens are the rows of the library, and go with the connection.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="connected_programs")
    application = models.ForeignKey("oauth2_provider.Application", on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=PROGRAM_NAME_CHARS)
    scopes = ArrayField(models.CharField(max_length=40))
    resource = models.CharField(max_length=RESOURCE_CHARS)
    withheld_kinds = ArrayField(models.CharField(max_length=20), default=list, blank=True, db_default=[])
    connected_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(
        export="connected_programs.json", withheld=("application_id",), clock="connected_at", kept=KeptFor.ACCESS
    )

    class Meta:
        ordering = ("-connected_at",)
        verbose_name = _("connected program")
        verbose_name_plural = _("connected programs")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "application"], name="one_connection_a_program")
        ]

    def __str__(self) -> str:
        return pgettext("row", "Connected program %s") % self.pk
