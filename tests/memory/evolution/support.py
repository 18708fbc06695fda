"""What the tests of evolution share."""

from __future__ import annotations

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import EvolutionEvent, MemoryItem, SearchEntry
from memory.services.history import changes_of
from memory.services.versions import ItemDraft
from tests.support.cast import A_MONDAY


def draft(content: str = "Lives in Berlin", **changes: object) -> ItemDraft:
    """A statement about somebody's home."""
    fields: dict[str, object] = {
        "content": content,
        "memory_type": "observation",
        "epistemic_type": "fact",
        "provenance": "observation",
        "confidence": 0.5,
        "valid_at": A_MONDAY,
        "attributes": {"subject": "user", "slot": "home", "value": content.rpartition(" ")[2]},
        "detail": {"rule": "test"},
    }
    return ItemDraft(**(fields | changes))  # type: ignore[arg-type]


def actions(permit: Permit, item: MemoryItem) -> list[str]:
    """What happened to the item's chain, the oldest first."""
    return [change.action for change in changes_of(permit, item)]


def changes(user: User) -> list[EvolutionEvent]:
    """Everything that happened to the user's memories, the oldest first."""
    with acting_as(user.pk):
        return list(EvolutionEvent.objects.order_by("created_at", "id"))


def believed(user: User) -> set[str]:
    """What is in force, by its words."""
    with acting_as(user.pk):
        return set(MemoryItem.objects.filter(state="active", superseded_at=None).values_list("content", flat=True))


def recallable(user: User) -> set[str]:
    """What ordinary search may find, by its words."""
    with acting_as(user.pk):
        live = SearchEntry.objects.filter(kind="item", live=True).values_list("pk", flat=True)
        return set(MemoryItem.objects.filter(pk__in=list(live)).values_list("content", flat=True))
