"""Memories as upkeep finds them, and upkeep as the worker runs it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.governance.governor import GOVERN_TOPIC, UpkeepStep
from memory.models import EvolutionEvent, MemoryItem
from memory.services import item_queries
from memory.services.versions import ItemDraft
from tests.support.cast import A_MONDAY
from tests.support.items import add_item
from tests.support.talk import permit_of

_COUNTED = (
    "injection_count", "positive_count", "correction_count", "miss_count", "last_validated_at", "invalid_at"
)  # fmt: skip


def remember(user: User, content: str, slot: str = "home", value: str | None = None, **fields: Any) -> MemoryItem:
    """A memory of the user's about ``slot``, validated just now; ``fields`` are the draft's, or counted ones."""
    draft: dict[str, Any] = {
        "content": content,
        "memory_type": "preference",
        "epistemic_type": "preference",
        "provenance": "observation",
        "confidence": 0.5,
        "category": slot,
        "attributes": {"subject": "user", "slot": slot, "value": value or content, "polarity": "positive"},
        "valid_at": A_MONDAY,
        "detail": {"rule": "test", "message_ids": [str(UUID(int=abs(hash(content)) % 2**64))]},
    }
    counted = {"last_validated_at": timezone.now()} | {name: fields.pop(name) for name in _COUNTED if name in fields}
    with acting_as(user.pk):
        item = add_item(permit_of(user), ItemDraft(**(draft | fields)))
        MemoryItem.objects.filter(pk=item.pk).update(**counted)
    return reread(user, item.pk)


def reread(user: User, key: UUID) -> MemoryItem:
    """The row as it stands, whatever its state."""
    with acting_as(user.pk):
        return MemoryItem.objects.get(pk=key)


def changes(user: User, *actions: str) -> list[EvolutionEvent]:
    """The recorded changes of these kinds, the oldest first."""
    with acting_as(user.pk):
        return list(EvolutionEvent.objects.filter(action__in=actions).order_by("created_at", "id"))


def book(user: User, *steps: UpkeepStep) -> OutboxMessage:
    """Book upkeep (every kind where none is named) without running it."""
    with acting_as(user.pk):
        return outbox.enqueue(
            GOVERN_TOPIC,
            user_id=user.pk,
            payload={"steps": list(steps or UpkeepStep)},
            scope=ConsentScope.MEMORY_LEARNING.value,
        )


def govern(user: User, *steps: UpkeepStep) -> dict[str, Any]:
    """Run upkeep as the worker does; answers what the job says of it."""
    job = book(user, *steps)
    drain()
    with acting_as(user.pk):
        done = OutboxMessage.objects.get(pk=job.pk)
    assert done.state == OutboxMessage.State.DONE, done.error_class
    return dict(done.result or {})


def as_of(moment: datetime, user: User) -> list[str]:
    """What the user's memories say of that moment, as it is known now."""
    with acting_as(user.pk):
        found = item_queries.items_matching(permit_of(user), valid_at=moment)
        return sorted(found.values_list("content", flat=True))
