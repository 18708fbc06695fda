from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery

if TYPE_CHECKING:
    from memory.models import ConversationEvent, MemoryItem  # noqa: F401  named in the base class


class ConversationEventQuerySet(models.QuerySet["ConversationEvent"]):
    def with_clock(self) -> Self:
        """With the time zones a message was said in: ``session_zone``, empty where the conversation names none or
        is closed to whoever reads, and the speaker's own.
        """
        sessions = apps.get_model("memory", "Session")
        zone = sessions._default_manager.filter(pk=OuterRef("session_id")).values("time_zone")[:1]
        return self.select_related("user").annotate(session_zone=Subquery(zone))


class MemoryItemQuerySet(models.QuerySet["MemoryItem"]):
    def owned_by(self, user_id: UUID) -> Self:
        """The person's own items."""
        return self.filter(user_id=user_id)

    def believed(self, valid_at: datetime, known_at: datetime) -> Self:
        """What the system believed at ``known_at`` to be true of the world at ``valid_at``.

        The end of a validity became known when its row was closed: before ``superseded_at`` the row still stood
        open. A row corrected as never true has an empty validity. Of a chain the latest version speaks: one that
        stands again after an undo was not believed while the undone one was. What is set aside is not believed.
        """
        still_valid = Q(invalid_at=None) | Q(invalid_at__gt=valid_at) | Q(superseded_at__gt=known_at)
        then = Q(still_valid, created_at__lte=known_at, valid_at__lte=valid_at) & ~Q(state="quarantined")
        newer = self.model._default_manager.filter(
            then, user_id=OuterRef("user_id"), chain_id=OuterRef("chain_id"), version__gt=OuterRef("version")
        )
        return self.filter(then & ~Exists(newer))

    def in_force(self, at: datetime) -> Self:
        """Active and true at ``at``: what may be recalled."""
        return self.filter(Q(invalid_at=None) | Q(invalid_at__gt=at), state="active", valid_at__lte=at)
