"""Which messages are read, and which memories were in force at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from django.db.models import CharField, Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone

from memory.bitemporal import believed

if TYPE_CHECKING:
    from memory.models import ConversationEvent, MemoryItem  # noqa: F401  named in the base class


class ConversationEventQuerySet(models.QuerySet["ConversationEvent"]):
    def not_replaced(self) -> Self:
        """Without the answers that gave way to another in their place."""
        newer = apps.get_model("memory", "ConversationEvent")._default_manager.filter(
            session_id=OuterRef("session_id"), seq=OuterRef("seq"), replaces=OuterRef("pk")
        )
        return self.filter(~Exists(newer))

    def at(self, places: Iterable[tuple[UUID, int]]) -> Self:
        """The messages that stand at these places, each a conversation and a number in it."""
        named = [Q(session_id=session_id, seq=seq) for session_id, seq in places]
        return self.not_replaced().filter(reduce(or_, named)) if named else self.none()

    def with_clock(self) -> Self:
        """Annotate each message with ``zone``, the time zone it was said in.

        That is the conversation's where the speaker began it, else the speaker's own: also where the conversation names
        none or is closed to the reader.
        """
        sessions = apps.get_model("memory", "Session")._default_manager
        begun = sessions.filter(pk=OuterRef("session_id"), user_id=OuterRef("user_id"))
        of_session = begun.values("time_zone")[:1]
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

        The rows are today's; ``memory.services.recorded_states`` shows them as they were recorded.
        """
        return self.filter(pk__in=RawSQL(_BELIEVED, (known_at, valid_at)))  # noqa: S611  our own columns

    def in_state_at(self, state: str, known_at: datetime) -> Self:
        """The items that were ``believed`` at ``known_at`` and stood in this state then."""
        if state == "active":
            return self.filter(Q(superseded_at=None) | Q(superseded_at__gt=known_at))
        return self.filter(state=state, superseded_at__lte=known_at)

    def typed_at(self, known_at: datetime, **types: str) -> Self:
        """The items whose ``memory_type`` and ``epistemic_type`` were these at ``known_at``."""
        changes = apps.get_model("memory", "EvolutionEvent")._default_manager.filter(
            item_id=OuterRef("pk"), created_at__gt=known_at
        )
        items = self
        for name, value in types.items():
            later = changes.filter(before__has_key=name).order_by("created_at", "id")
            then = Coalesce(Subquery(later.values(was=KT(f"before__{name}"))[:1]), F(name), output_field=CharField())
            items = items.alias(**{f"{name}_then": then}).filter(**{f"{name}_then": value})
        return items

    def in_force(self, at: datetime) -> Self:
        """The items that are active and true at ``at``, and so may be recalled."""
        return self.filter(Q(invalid_at=None) | Q(invalid_at__gt=at), state="active", valid_at__lte=at)

    def contents_in_force(self, user_id: UUID, chains: Collection[UUID], at: datetime) -> list[tuple[UUID, str]]:
        """The chain and the words of each of the person's items of these chains that is ``in_force`` at ``at``."""
        with connection.cursor() as cursor:
            cursor.execute(_CONTENTS_IN_FORCE, {"user": user_id, "chains": list(chains), "at": at})
            found: list[tuple[UUID, str]] = cursor.fetchall()
        return found


_BELIEVED = f"""
    WITH asked AS MATERIALIZED (SELECT %s::timestamptz AS known, %s::timestamptz AS valid)
    SELECT i.id FROM memory_memoryitem i
    WHERE {believed("i", known="(SELECT known FROM asked)", valid="(SELECT valid FROM asked)")}
"""  # noqa: S608  our own columns

# For the portrait in every prompt: by hand it takes a quarter of what the ORM takes.
_CONTENTS_IN_FORCE = """
    SELECT chain_id, content FROM memory_memoryitem
    WHERE user_id = %(user)s AND chain_id = ANY(%(chains)s) AND tombstone_id IS NULL
      AND state = 'active' AND valid_at <= %(at)s AND (invalid_at IS NULL OR invalid_at > %(at)s)
"""
