"""The model of signs of a style preference, counted until there are enough (``write_back_guard``)."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData
from memory.models import Session

KEPT_FOR = timedelta(days=30)
"""How long signs count: a wish said three times within a month is a habit; an unconfirmed correction lapses."""


class PersonaSignal(Erasable):
    """A sign of a user's style preference, counted until there are enough.

    It holds a slot and a value from fixed lists and the message's id, none of its words. ``waiting`` marks a preference
    that is stored only after the user confirms it. The signs of a preference that became a memory are deleted.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    session = models.ForeignKey(Session, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    message_id = models.UUIDField()
    slot = models.CharField(max_length=20)
    value = models.CharField(max_length=20)
    language = models.CharField(max_length=2)
    waiting = models.BooleanField(default=False)
    said_at = models.DateTimeField()
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[PersonaSignal]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        retention=KEPT_FOR,
        export="personas/signals.jsonl",
    )

    class Meta:
        ordering = ("said_at", "id")
        verbose_name = _("sign of a preference")
        verbose_name_plural = _("signs of preferences")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "message_id", "slot"], name="one_signal_a_message_and_slot")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "slot", "-said_at"], name="my_persona_signals")]

    def __str__(self) -> str:
        return pgettext("row", "Persona signal %s") % self.pk
