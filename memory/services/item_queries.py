"""Queries for memories: a user's own by id, by words or by time, those in use, and those that await a decision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.services import scope_held_since
from foundation.accounts.groups import group_ids_of
from foundation.exceptions import NotFound, require_found
from foundation.personal_data import ConsentScope
from memory.evolution.slots import USER_SUBJECT
from memory.models import CognitiveEvent, MemoryItem
from memory.querysets import MemoryItemQuerySet


def items_of(permit: Permit) -> MemoryItemQuerySet:
    """The user's own items, the latest first; none without ``memory_learning_allowed``."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
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
    metadata: Mapping[str, Any] | None = None,
    **types: str,
) -> QuerySet[MemoryItem]:
    """The user's items by ``types`` (memory_type, epistemic_type), words in their text and what their metadata holds,
    the latest first.

    With ``valid_at`` or ``known_at``: the items believed then, filtered by the state and the types they had then; the
    one that is not given is now. Without either: the items in ``state``, or all with ``include_invalid``, or those in
    force now.
    """
    now = timezone.now()
    known = known_at or now
    items = items_of(permit)
    if q:
        items = items.filter(content__icontains=q)
    if metadata:
        items = items.filter(attributes__metadata__contains=metadata)
    if valid_at or known_at:
        then = items.believed(valid_at or now, known).typed_at(known, **types)
        return then.in_state_at(state, known) if state else then
    items = items.filter(**types)
    if state:
        items = items.filter(state=state)
    return items if state or include_invalid else items.in_force(now)


def item_of(permit: Permit, memory_id: UUID) -> MemoryItem:
    """One of the user's items, whatever its state. Raises ``NotFound``."""
    return require_found(items_of(permit).filter(pk=memory_id).first())


def history_of(permit: Permit, item: MemoryItem) -> list[MemoryItem]:
    """Every version of the item's chain, the oldest first."""
    return list(items_of(permit).filter(chain_id=item.chain_id).order_by("version"))


def review_queue(permit: Permit) -> MemoryItemQuerySet:
    """The quarantined items that await the user's decision, the latest first."""
    return items_of(permit).awaiting_decision()


def open_item(permit: Permit, memory_id: UUID) -> MemoryItem:
    """One of the user's items that no newer version has replaced. Raises ``NotFound``."""
    item = item_of(permit, memory_id)
    if item.superseded_at is not None:
        raise NotFound(_("A newer memory has replaced this one."))
    return item


def items_in_use(permit: Permit) -> MemoryItemQuerySet:
    """The user's open items that are active."""
    return open_items(permit).in_use()


def open_items(permit: Permit) -> MemoryItemQuerySet:
    """The user's open, personal items under the consent that holds now, the oldest first.

    They are in use or await confirmation. Items stored before consent was withdrawn are left out; they will be purged.
    """
    return MemoryItem.objects.owned_by(permit.user_id).open().filter(
        scope=MemoryItem.Scope.PERSONAL,
        consent_version__gte=scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING),
    ).order_by("created_at", "id")  # fmt: skip


def in_current_groups(permit: Permit, items: MemoryItemQuerySet) -> list[MemoryItem]:
    """The items without a group, or of a group that the user still belongs to."""
    groups = set(group_ids_of(permit.user_id))
    return [item for item in items if item.group_id is None or item.group_id in groups]


def items_about(permit: Permit, wanted: Collection[tuple[str, str]]) -> list[MemoryItem]:
    """The user's memories of these subjects and slots, former versions among them. Call in a transaction acting for
    them.
    """
    found = items_of(permit).filter(attributes__slot__in={slot for _, slot in wanted})
    return [item for item in found if (item.attributes.get("subject", USER_SUBJECT), item.attributes["slot"]) in wanted]


def versions_beside(permit: Permit, slots: Collection[str], events: Collection[UUID]) -> MemoryItemQuerySet:
    """The user's memories of these slots, and from the conversations of these events, closed versions among them, but
    not what was merged into another.
    """
    told_in = CognitiveEvent.objects.filter(pk__in=events).values("session_id")
    found = items_of(permit).filter(Q(attributes__slot__in=slots) | Q(source_sessions__overlap=told_in))
    return found.exclude(superseded_by__provenance_detail__has_key="merged_from").select_related("superseded_by")


def items_taught_by(permit: Permit, messages: Collection[UUID]) -> MemoryItemQuerySet:
    """The user's memories that these messages taught, former versions left out."""
    return items_of(permit).taught_by(messages).open()


def latest_of_chain(permit: Permit, chain_id: UUID) -> MemoryItem:
    """The latest version of one of the user's memories, by the id that all its versions share. Raises ``NotFound``."""
    return require_found(items_of(permit).filter(chain_id=chain_id).order_by("-version").first())
