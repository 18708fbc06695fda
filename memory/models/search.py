"""The model of search entries, which hold the words and vectors by which rows are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from pgvector.django import HalfVectorField

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import ChatGroup
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData

if TYPE_CHECKING:
    _StringField = models.Field[str | None, str | None]
else:
    _StringField = models.Field


class BitString(_StringField):
    """A bit string of any length, read as ``"0110…"``."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """The column type ``bit varying``."""
        return "varbit"


# All columns that a search's first look and row-level security read: so PostgreSQL reads a user's entries from the
# index alone, five pages for a hundred rows where the table has thirty. A row stays far below the 2,704 bytes that a
# B-tree accepts.
_FIRST_LOOK = (
    "id", "session_id", "occurred_at", "live", "created_at", "tombstone_id", "model_id", "length", "quantized", "bloom",
)  # fmt: skip


class SearchEntry(Erasable):
    """The searchable form of one message ("turn"), event, item, portrait or passage of a file ("document"). Its id is
    the id of the row it stands for.

    It is a table of its own, so that append-only rows are never updated, a model can change while the old one serves,
    and erasure can prove that no lexeme is left. ``terms`` holds own terms at weight A, those of messages one away at
    B, two away at C. The first look at very many entries uses ``bloom``, the Bloom filter of the lexemes (the
    migrations define ``memory_bloom``), and ``quantized``, the sign of each dimension of the vector.
    """

    class Kind(models.TextChoices):
        TURN = "turn", _("Message")
        EVENT = "event", _("Event")
        ITEM = "item", _("Memory")
        PROFILE = "profile", _("Portrait")
        DOCUMENT = "document", _("File")

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    # No indexes of their own: those of the first look begin with these columns.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    group = models.ForeignKey(ChatGroup, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    session_id = models.UUIDField(null=True)
    occurred_at = models.DateTimeField()
    live = models.BooleanField(default=True)  # false for an item no longer valid, and for messages that taught it
    terms = SearchVectorField()
    vector = HalfVectorField(null=True)  # null: not embedded, full text only
    model_id = models.CharField(max_length=80, blank=True)
    length = models.GeneratedField(
        expression=models.Func("terms", function="length"), output_field=models.IntegerField(), db_persist=True
    )
    bloom = models.GeneratedField(
        expression=models.Func("terms", function="memory_bloom"), output_field=BitString(), db_persist=True
    )
    quantized = BitString(null=True)  # not generated: that would need the vector extension at each write
    # True for a message learned from before single sentences were judged, until it is read again for learning.
    to_be_read = models.BooleanField(default=False, db_default=False)
    # The mark that the row's text may stand in a prompt unchanged, and the version of the rules that judged it; "" for
    # not yet judged.
    verdict = models.CharField(max_length=32, blank=True, default="", db_default="")
    judged_by = models.CharField(max_length=16, blank=True, default="", db_default="")
    # A mark of the row's text if a model found it manipulative, and whether a model, if one is configured, has yet to
    # check it: a text that does not read like an order is judged by the rules alone.
    manipulative = models.CharField(max_length=32, blank=True, default="", db_default="")
    awaits_second_look = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[SearchEntry]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        stands_for=(
            "memory.ConversationEvent",
            "memory.CognitiveEvent",
            "memory.MemoryItem",
            "memory.EntityProfile",
            "media.MediaPassage",
        ),
    )

    class Meta:
        verbose_name = _("search entry")
        verbose_name_plural = _("search entries")
        indexes: ClassVar = [
            models.Index(fields=["user", "kind"], name="first_look_at_own", include=("group", *_FIRST_LOOK)),
            models.Index(
                fields=["group", "kind"],
                name="first_look_in_group",
                condition=Q(group__isnull=False),
                include=("user", *_FIRST_LOOK),
            ),
            # Finds entries embedded by another model or by none, quickly also where there are none.
            models.Index(fields=["model_id"], name="entries_by_model"),
            models.Index(fields=["judged_by"], name="entries_by_rules"),
            models.Index(fields=["user", "id"], name="entries_to_look_at", condition=Q(awaits_second_look=True)),
            models.Index(fields=["user", "id"], name="messages_to_be_read", condition=Q(to_be_read=True, kind="turn")),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Search entry %s") % self.pk
