"""Memory items: one door for each way a statement about a person comes, changes or ends (M-12)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screened
from consent.services import hold
from foundation.accounts.models import User
from foundation.accounts.services import is_member
from foundation.exceptions import NotFound, ValidationFailed
from foundation.ids import new_id
from foundation.personal_data import Scope
from foundation.telemetry.metrics import MEMORY_OPS
from foundation.text import normalize
from memory.evolution.confidence import EXPLICIT_CONFIDENCE, PROVENANCE_CAPS
from memory.indexing import services as indexing
from memory.indexing.embedding import index_now
from memory.models import MemoryItem, ReceiptLine
from memory.querysets import MemoryItemQuerySet

CONFIRMED = MemoryItem.Provenance.CONFIRMED_BY_USER
MAX_CONTENT_CHARS = 2_000


@dataclass(frozen=True)
class ItemDraft:
    """A statement about to be stored. ``detail`` says where it came from: rule, message ids, what changed."""

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


def items_of(permit: Permit) -> MemoryItemQuerySet:
    """The person's own items, the latest first; none without ``memory_learning_allowed``."""
    if not permit.allows(Scope.MEMORY_LEARNING):
        return MemoryItem.objects.none()
    return MemoryItem.objects.owned_by(permit.user_id).order_by("-created_at", "-id")


def items_matching(
    permit: Permit,
    *,
    state: str = "",
    valid_at: datetime | None = None,
    known_at: datetime | None = None,
    include_invalid: bool = False,
    q: str = "",
    **types: str,
) -> QuerySet[MemoryItem]:
    """The person's items by ``types`` (memory_type, epistemic_type) and words in their text, the latest first.

    With ``valid_at`` or ``known_at``: what was believed then, now standing in for the one not given. Else by
    ``state``, or with ``include_invalid`` whatever their state, or what is in force now.
    """
    items = items_of(permit).filter(**types)
    now = timezone.now()
    if q:
        items = items.filter(content__icontains=q)
    if state:
        items = items.filter(state=state)
    if valid_at or known_at:
        return items.believed(valid_at or now, known_at or now)
    return items if state or include_invalid else items.in_force(now)


def item_of(permit: Permit, memory_id: UUID) -> MemoryItem:
    """One of the person's items, whatever its state. Raises ``NotFound``."""
    item = items_of(permit).filter(pk=memory_id).first()
    if item is None:
        raise NotFound()
    return item


def history_of(permit: Permit, item: MemoryItem) -> list[MemoryItem]:
    """Every version of the item's chain, the oldest first."""
    return list(items_of(permit).filter(chain_id=item.chain_id).order_by("version"))


def uses_of(permit: Permit, item: MemoryItem) -> QuerySet[ReceiptLine]:
    """Every time the item, in any of its versions, was put before the model; the latest first."""
    versions = items_of(permit).filter(chain_id=item.chain_id).values("pk")
    injected = ReceiptLine.objects.filter(receipt__kind="injection", status=ReceiptLine.Status.ACCEPTED)
    return injected.filter(ref_id__in=versions).select_related("receipt").order_by("-receipt__created_at")


def add_item(permit: Permit, draft: ItemDraft) -> MemoryItem:
    """Store a new statement as the first version of its chain and make it searchable."""
    with _holding(permit):
        return _store(permit, draft, chain_id=new_id(), version=1, now=timezone.now())


def supersede(permit: Permit, old: MemoryItem, draft: ItemDraft, *, was_ever_true: bool = True) -> MemoryItem:
    """Put a new version in the old one's place.

    The old row keeps its words and ends at the new one's ``valid_at``; corrected as never true (or merely said
    again), its validity becomes empty, so that no instant has two versions.
    """
    with _holding(permit):  # the person before the row, as everywhere: two orders would wait for each other
        open_row = _locked(old)
        now = timezone.now()  # one instant: at every other exactly one version is believed
        begins = max(draft.valid_at or now, open_row.valid_at)
        _close(open_row, at=begins if was_ever_true else open_row.valid_at, state=MemoryItem.State.SUPERSEDED, now=now)
        new = _store(permit, draft, chain_id=open_row.chain_id, version=open_row.version + 1, now=now)
        MemoryItem.objects.filter(pk=open_row.pk).update(superseded_by=new)
    return new


def retire(old: MemoryItem, *, at: datetime) -> None:
    """Mark a statement as no longer true from ``at``, with nothing in its place."""
    with transaction.atomic():
        open_row = _locked(old)
        _close(open_row, at=max(at, open_row.valid_at), state=MemoryItem.State.INVALID, now=timezone.now())


def confirm(permit: Permit, memory_id: UUID) -> MemoryItem:
    """The person says "right": the same words, confirmed, at the confidence of an explicit statement."""
    old = _open_item(permit, memory_id)
    confidence = max(old.confidence, EXPLICIT_CONFIDENCE)
    draft = _draft_of(old, provenance=CONFIRMED, confidence=confidence, detail={"change": "confirmed"})
    return supersede(permit, old, draft, was_ever_true=False)


def correct(permit: Permit, memory_id: UUID, content: str, reason: str = "") -> MemoryItem:
    """The person says what is right instead. The old version is superseded, the new one confirmed.

    Raises ``ValidationFailed`` for empty or oversized text, ``SensitiveInput``, and ``NotFound`` for an item that
    is not open.
    """
    text = _checked_content(permit, content)
    old = _open_item(permit, memory_id)
    attributes = dict(old.attributes) | {"value": text}
    detail = {"change": "corrected", "reason": screened("reason", reason).text}
    draft = _draft_of(
        old, content=text, attributes=attributes, provenance=CONFIRMED, confidence=EXPLICIT_CONFIDENCE,
        valid_at=timezone.now(), detail=detail,
    )  # fmt: skip
    return supersede(permit, old, draft)


def add_stated(permit: Permit, content: str, *, metadata: Mapping[str, Any] | None = None) -> MemoryItem:
    """Store a sentence word for word, as told by its person or a program of theirs (``infer: false``)."""
    permit.require(Scope.MEMORY_LEARNING)
    text = _checked_content(permit, content)
    screened("metadata", json.dumps(metadata or {}, ensure_ascii=False))
    draft = ItemDraft(
        content=text, memory_type=MemoryItem.MemoryType.INSIGHT, epistemic_type=MemoryItem.EpistemicType.FACT,
        provenance=CONFIRMED, confidence=EXPLICIT_CONFIDENCE,
        attributes={"metadata": dict(metadata or {})}, detail={"rule": "stated"},
    )  # fmt: skip
    return add_item(permit, draft)


def content_hash(user_id: UUID, content: str) -> str:
    """An HMAC of the normalized words under the person's own key: equal statements meet, guesses prove nothing."""
    key = bytes(User.objects.values_list("content_key", flat=True).get(pk=user_id))
    return hmac.new(key, " ".join(normalize(content).split()).encode(), hashlib.sha256).hexdigest()


@contextmanager
def _holding(permit: Permit) -> Iterator[None]:
    """One transaction in which something is learned, under a consent that lasts as long as it does."""
    permit.require(Scope.MEMORY_LEARNING)
    with transaction.atomic():
        hold(permit)
        yield


def _store(permit: Permit, draft: ItemDraft, *, chain_id: UUID, version: int, now: datetime) -> MemoryItem:
    """Write one version and make it searchable. To be called while ``_holding`` the permit."""
    item = MemoryItem.objects.create(
        user_id=permit.user_id,
        group_id=draft.group_id if is_member(permit.user_id, draft.group_id) else None,
        chain_id=chain_id,
        version=version,
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
        valid_at=draft.valid_at or now,
        last_validated_at=now if draft.provenance == CONFIRMED else (draft.valid_at or now),
        consent_version=permit.version,
        created_at=now,
    )
    index_now([indexing.item_document(item)])
    MEMORY_OPS.labels(op="write", scope="item").inc()
    return item


def _close(item: MemoryItem, *, at: datetime, state: MemoryItem.State, now: datetime) -> None:
    MemoryItem.objects.filter(pk=item.pk).update(state=state, invalid_at=at, superseded_at=now)
    indexing.retire("item", item.pk)


def _locked(item: MemoryItem) -> MemoryItem:
    """The row under lock, still open. Raises ``NotFound`` when somebody closed it meanwhile."""
    row = MemoryItem.objects.select_for_update().filter(pk=item.pk, superseded_at=None).first()
    if row is None:
        raise NotFound("This memory has changed meanwhile. Reload it.")
    return row


def _open_item(permit: Permit, memory_id: UUID) -> MemoryItem:
    item = item_of(permit, memory_id)
    if item.superseded_at is not None:
        raise NotFound("This memory has been replaced meanwhile.")
    return item


def _draft_of(old: MemoryItem, **changes: Any) -> ItemDraft:
    kept: dict[str, Any] = {
        "content": old.content,
        "memory_type": old.memory_type,
        "epistemic_type": old.epistemic_type,
        "category": old.category,
        "attributes": old.attributes,
        "valid_at": old.valid_at,
        "source_sessions": tuple(old.source_sessions),
        "group_id": old.group_id,
    }
    return ItemDraft(**(kept | changes))


def _checked_content(permit: Permit, content: str) -> str:
    text = content.strip()
    if not text or len(text) > MAX_CONTENT_CHARS:
        sentence = f"Give between 1 and {MAX_CONTENT_CHARS} characters."
        raise ValidationFailed(details={"content": [sentence]})
    return screened("content", text, [User.objects.get(pk=permit.user_id).name]).text
