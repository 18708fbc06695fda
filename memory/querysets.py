from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone

if TYPE_CHECKING:
    from memory.models import ConversationEvent, MemoryItem  # noqa: F401  named in the base class


class ConversationEventQuerySet(models.QuerySet["ConversationEvent"]):
    def at(self, places: Iterable[tuple[UUID, int]]) -> Self:
        """The messages at these places, each a conversation and a number in it."""
        named = [Q(session_id=session_id, seq=seq) for session_id, seq in places]
        return self.filter(reduce(or_, named)) if named else self.none()

    def with_clock(self) -> Self:
        """Annotate each message with ``zone``, the time zone it was said in.

        That is the conversation's, or the speaker's own where the conversation names none or is closed to the reader.
        """
        sessions = apps.get_model("memory", "Session")
        of_session = sessions._default_manager.filter(pk=OuterRef("session_id")).values("time_zone")[:1]
        return self.annotate(zone=Coalesce(NullIf(Subquery(of_session), Value("")), F("user__time_zone")))


_COUNTERS = frozenset({"injection_count", "positive_count", "correction_count", "miss_count", "unused_count"})


class MemoryItemQuerySet(models.QuerySet["MemoryItem"]):
    def update(self, **fields: Any) -> int:
        """Update, and note when: what only counts a use changes nothing of the item."""
        return super().update(**fields if fields.keys() <= _COUNTERS else {"updated_at": timezone.now()} | fields)

    def owned_by(self, user_id: UUID) -> Self:
        """The user's own items."""
        return self.filter(user_id=user_id)

    def taught_by(self, messages: Collection[UUID]) -> Self:
        """The items that any of these messages taught or repeated."""
        return self.filter(provenance_detail__message_ids__has_any_keys=[str(key) for key in messages])

    def open(self) -> Self:
        """The items that no newer version, and no decision, has closed."""
        return self.filter(superseded_at=None)

    def in_use(self) -> Self:
        """The open items that may be used."""
        return self.open().filter(state="active")

    def awaiting_decision(self) -> Self:
        """The open items that are used only once the user has confirmed them."""
        return self.open().filter(state="quarantined")

    def believed(self, valid_at: datetime, known_at: datetime) -> Self:
        """The items that the system believed at ``known_at`` to be true of the world at ``valid_at``.

        The end of a validity became known when its row was closed: before ``superseded_at`` the row still stood open. A
        row corrected as never true has an empty validity. Of a chain the latest version speaks: one that stands again
        after an undo was not believed while the undone one was. What is set aside is not believed.
        """
        still_valid = Q(invalid_at=None) | Q(invalid_at__gt=valid_at) | Q(superseded_at__gt=known_at)
        then = Q(still_valid, created_at__lte=known_at, valid_at__lte=valid_at) & ~Q(state="quarantined")
        newer = self.model._default_manager.filter(
            then, user_id=OuterRef("user_id"), chain_id=OuterRef("chain_id"), version__gt=OuterRef("version")
        )
        return self.filter(then & ~Exists(newer))

    def in_force(self, at: datetime) -> Self:
        """The items that are active and true at ``at``, and so may be recalled."""
        return self.filter(Q(invalid_at=None) | Q(invalid_at__gt=at), state="active", valid_at__lte=at)

    def contents_in_force(self, user_id: UUID, chains: Collection[UUID], at: datetime) -> list[tuple[UUID, str]]:
        """The chain and the words of each of the person's items of these chains that is ``in_force`` at ``at``."""
        with connection.cursor() as cursor:
            cursor.execute(_CONTENTS_IN_FORCE, {"user": user_id, "chains": list(chains), "at": at})
            found: list[tuple[UUID, str]] = cursor.fetchall()
        return found


# For the portrait in every prompt: by hand it takes a quarter of what the ORM takes.
_CONTENTS_IN_FORCE = """
    SELECT chain_id, content FROM memory_memoryitem
    WHERE user_id = %(user)s AND chain_id = ANY(%(chains)s) AND tombstone_id IS NULL
      AND state = 'active' AND valid_at <= %(at)s AND (invalid_at IS NULL OR invalid_at > %(at)s)
"""
