"""The model of an imported file with chats of another assistant."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.long_tasks import LongTaskRow
from foundation.personal_data import KeptFor, PersonalData


class ChatImport(LongTaskRow):
    """An export file of another assistant, imported into the user's account in the background.

    Its file is named after its id, under the data directory, and deleted as soon as it has been read.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        CHECKING = "checking", _("Being checked")
        STORING = "storing", _("Being brought in")
        DONE = "done", _("Brought in")
        REFUSED = "refused", _("Refused")
        FAILED = "failed", _("Failed")
        UNDONE = "undone", _("Undone")
        CANCELLED = "cancelled", _("Cancelled")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    assistant = models.CharField(max_length=10, blank=True)  # a key of ``SOURCES``, given or recognised in the check
    origin = models.CharField(max_length=10)  # web, api, command
    size = models.PositiveBigIntegerField()  # bytes
    conversations = models.PositiveIntegerField(default=0)  # in the file
    messages = models.PositiveIntegerField(default=0)
    read = models.PositiveIntegerField(default=0)  # conversations so far
    recorded = models.PositiveIntegerField(default=0)  # messages
    known = models.PositiveIntegerField(default=0)  # messages that were there before
    left_out = models.PositiveIntegerField(default=0)  # messages with content that must not be stored
    past_consents = models.JSONField(default=list, blank=True, db_default=[])  # from an archive: shown, never applied
    reason = models.CharField(max_length=300, blank=True)  # why it was refused, in English
    reason_details = models.JSONField(default=dict, blank=True, db_default={})  # {} of old rows
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(export="imports/imports.json", withheld=("is_unseen",), kept=KeptFor.WORK)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("import")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(state__in=["pending", "checking", "storing"]),
                name="one_import_at_a_time",
            )
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="my_imports")]

    def __str__(self) -> str:
        return pgettext("row", "Import %s") % self.pk


UNFINISHED = (ChatImport.State.PENDING, ChatImport.State.CHECKING, ChatImport.State.STORING)
