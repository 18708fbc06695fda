from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import ChatGroup
from foundation.personal_data import OnWithdrawal, PersonalData, Scope


class SearchEntry(Erasable):
    """What search reads of one turn, event or item. Its id is the id of the row it stands for.

    A side table, so that append-only rows are never updated, a model can change while the old one serves, and
    erasure can prove that no lexeme is left. ``terms`` holds own terms at weight A,
    those of turns one away at B, two away at C.
    """

    class Kind(models.TextChoices):
        TURN = "turn", _("Message")
        EVENT = "event", _("Event")
        ITEM = "item", _("Memory")

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.CASCADE, null=True, related_name="+")
    session_id = models.UUIDField(null=True)
    occurred_at = models.DateTimeField()
    live = models.BooleanField(default=True)  # off for an item that holds no more, and for messages that taught it
    terms = SearchVectorField()
    vector = HalfVectorField(null=True)  # null: not embedded, full text only
    model_id = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[SearchEntry]] = VisibleManager()
    personal_data = PersonalData(
        scope=Scope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        stands_for=("memory.ConversationEvent", "memory.CognitiveEvent", "memory.MemoryItem"),
    )

    class Meta:
        verbose_name = _("search entry")
        verbose_name_plural = _("search entries")
        indexes: ClassVar = [
            models.Index(fields=["user", "kind"], name="entries_of_user"),
            models.Index(fields=["group", "kind"], name="entries_of_group", condition=Q(group__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"Search entry {self.pk}"
