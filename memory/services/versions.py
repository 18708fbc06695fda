"""The rows behind memory items: written, closed and opened again here and nowhere else (M-12)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from consent.permit import Permit
from consent.services import held_since, hold
from foundation.accounts.models import User
from foundation.accounts.services import is_member
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.personal_data import Scope
from foundation.telemetry.metrics import MEMORY_OPS
from foundation.text import normalize
from memory.evolution.confidence import PROVENANCE_CAPS
from memory.indexing import services as indexing
from memory.indexing.embedding import index_now
from memory.models import MemoryItem

State = MemoryItem.State


@dataclass(frozen=True)
class ItemDraft:
    """A statement about to be stored. ``detail`` says where it came from: rule, message ids, what changed.

    A ``quarantined`` one waits for its person's decision and is not recalled.
    """

    content: str
    memory_type: str
    epistemic_type: str
    provenance: str
    confidence: float
    category: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    valid_at: datetime | None = None
    source_sessions: tuple[UUID, ...] = ()
    group_id: UUID | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    quarantined: bool = False

    @property
    def rule(self) -> str:
        """The rule that made it, for its history."""
        return str(self.detail.get("rule", ""))


@contextmanager
def holding(permit: Permit) -> Iterator[None]:
    """One transaction in which something is learned, under a consent that lasts as long as it does."""
    permit.require(Scope.MEMORY_LEARNING)
    with transaction.atomic():
        hold(permit)
        yield


def content_hash(user_id: UUID, content: str) -> str:
    """An HMAC of the normalized words under the person's own key: equal statements meet, guesses prove nothing."""
    key = bytes(User.objects.values_list("content_key", flat=True).get(pk=user_id))
    return hmac.new(key, " ".join(normalize(content).split()).encode(), hashlib.sha256).hexdigest()


def of_the_same_words(permit: Permit, content: str, group_id: UUID | None) -> MemoryItem | None:
    """The open item that says the same in the same words, locked; None if there is none.

    One that only waits for its purge (C-5) is closed in passing: it may be used no more, and must not be in the way.
    """
    found = MemoryItem.objects.select_for_update().filter(
        user_id=permit.user_id,
        group_id=_group_of(permit, group_id),
        content_hash=content_hash(permit.user_id, content),
        superseded_at=None,
    )
    item = found.first()
    if item is None or item.consent_version >= held_since(permit.user_id, Scope.MEMORY_LEARNING):
        return item
    close(item, at=item.valid_at, state=State.INVALID, now=timezone.now())
    return None


def store(
    permit: Permit, draft: ItemDraft, *, now: datetime, valid_at: datetime, chain_id: UUID | None = None
) -> MemoryItem:
    """Write the next version of a chain, or the first of a new one, and make it searchable.

    To be called while ``holding`` the permit, with no open item of the same words.
    """
    item = MemoryItem.objects.create(
        user_id=permit.user_id,
        group_id=_group_of(permit, draft.group_id),
        chain_id=chain_id or new_id(),
        version=_next_version(permit, chain_id),
        state=State.QUARANTINED if draft.quarantined else State.ACTIVE,
        memory_type=draft.memory_type,
        epistemic_type=draft.epistemic_type,
        category=draft.category,
        content=draft.content,
        content_hash=content_hash(permit.user_id, draft.content),
        attributes=dict(draft.attributes),
        confidence=min(draft.confidence, PROVENANCE_CAPS[draft.provenance]),
        provenance=draft.provenance,
        provenance_detail=dict(draft.detail),
        source_sessions=list(draft.source_sessions),
        valid_at=valid_at,
        last_validated_at=now if draft.provenance == MemoryItem.Provenance.CONFIRMED_BY_USER else valid_at,
        consent_version=permit.version,
        created_at=now,
    )
    index_now([indexing.item_document(item)])
    if draft.quarantined:
        indexing.retire("item", item.pk)
    MEMORY_OPS.labels(op="write", scope="item").inc()
    return item


def close(item: MemoryItem, *, at: datetime, state: str, now: datetime, by: MemoryItem | None = None) -> None:
    """End a version: true of the world until ``at``, believed until ``now``; ``by`` what stands in its place."""
    MemoryItem.objects.filter(pk=item.pk).update(state=state, invalid_at=at, superseded_at=now, superseded_by=by)
    indexing.retire("item", item.pk)


def change(item: MemoryItem, **fields: Any) -> MemoryItem:
    """Change an item's standing, never its words, and let search follow it. Answers the row as it is now."""
    MemoryItem.objects.filter(pk=item.pk).update(**fields)
    item.refresh_from_db()
    recallable = item.state == State.ACTIVE and item.superseded_at is None
    (indexing.revive if recallable else indexing.retire)("item", item.pk)
    return item


def locked(item: MemoryItem) -> MemoryItem:
    """The row under lock, still open. Raises ``NotFound`` when somebody closed it meanwhile."""
    row = MemoryItem.objects.select_for_update().filter(pk=item.pk, superseded_at=None).first()
    if row is None:
        raise NotFound("This memory has changed meanwhile. Reload it.")
    return row


def _group_of(permit: Permit, group_id: UUID | None) -> UUID | None:
    """The group a new version belongs to: none that its person has left."""
    return group_id if is_member(permit.user_id, group_id) else None


def _next_version(permit: Permit, chain_id: UUID | None) -> int:
    """One above the highest: after an undo the open version is not the latest."""
    if chain_id is None:
        return 1
    chain = MemoryItem.objects.owned_by(permit.user_id).filter(chain_id=chain_id)
    highest: int = chain.aggregate(highest=Max("version"))["highest"] or 0
    return highest + 1
