"""The model of the persona mode of each user in each conversation."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData
from memory.models import Session


class PersonaState(Erasable):
    """The persona mode of one user in one conversation; without a row, the default.

    It belongs to a user and not to the conversation, because what one member of a group asks for does not change how
    the others are answered. Turns are the user's messages, counted from 0. ``ttl_turns`` is 0 for the default, and
    after the end of the mode was recorded.
    """

    class Mode(models.TextChoices):
        RATIONAL = "rational", _("Rational")
        IDOL = "idol", _("Idol")
        HYBRID = "hybrid", _("Hybrid")
        STRICT = "strict", _("Strict")

    class Source(models.TextChoices):
        DEFAULT = "default", _("by default")
        USER = "user", _("you asked for it")
        RULE = "rule", _("fits what was said")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # A migration creates the constraint: the database deletes the row with the conversation, whoever owns that.
    session = models.ForeignKey(Session, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=10, choices=Mode.choices)
    mode_source = models.CharField(max_length=10, choices=Source.choices)
    since = models.DateTimeField()
    since_turn = models.PositiveIntegerField()
    ttl_turns = models.PositiveIntegerField(default=0)
    notes = models.CharField(max_length=200, blank=True)
    noted_in = models.UUIDField(null=True, blank=True)  # the message; empty for notes from a page
    wishes = models.JSONField(default=dict, blank=True)  # slot → value: how to answer in this conversation alone
    ruled_turn = models.PositiveIntegerField(null=True, blank=True)  # when a rule switched last
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[PersonaState]] = VisibleManager()
    personal_data = PersonalData(
        export="personas/states.jsonl", withheld=("since_turn", "ruled_turn"), kept=KeptFor.ORDER
    )

    class Meta:
        ordering = ("-since",)
        verbose_name = _("way of speaking")
        verbose_name_plural = _("ways of speaking")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "user"], name="one_persona_state_a_person_and_session")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-since"], name="my_persona_states")]

    def __str__(self) -> str:
        return pgettext("row", "Persona state %s") % self.pk
