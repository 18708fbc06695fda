"""Writes, closes and reopens versions of memory items; no other module does.

The versions of one item form a chain. At most one of them is open, which means that no later one has replaced it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.services import hold_permit, scope_held_since
from foundation.accounts.groups import is_member
from foundation.database.acting_program import in_full_sight
from foundation.database.bulk_insert import insert_rows
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.language import comparison_form
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_written
from memory.confidence import PROVENANCE_CAPS
from memory.indexing import visibility
from memory.indexing.documents import item_document
from memory.indexing.embedding import index, index_now
from memory.kinds import require_shown
from memory.models import PROGRAM, EvolutionEvent, MemoryItem
from memory.services.portrait_rebuilds import rebuild_later

State = MemoryItem.State


def program_detail(program: str) -> dict[str, str]:
    """The part of a statement's detail that names the program it came through; empty where that was none."""
    return {PROGRAM: program} if program else {}


@dataclass(frozen=True)
class ItemDraft:
    """A statement about to be stored. ``detail`` says where it came from: rule, message ids, what changed.

    A ``quarantined`` one awaits the user's decision and is not recalled. ``vector`` is the embedding of its sentence by
    the model ``model_id``, if it is known already.
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
    vector: Sequence[float] | None = None
    model_id: str = ""

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages it was read from, as its ``detail`` names them."""
        return tuple(self.detail.get("message_ids", ()))

    @property
    def rule(self) -> str:
        """The rule that made the statement, for its history."""
        return str(self.detail.get("rule", ""))

    @property
    def doubt(self) -> str:
        """The name of the rule because of which it awaits the user's decision."""
        return str(self.detail.get("doubt", "")) or self.rule


@contextmanager
def learning_transaction(permit: Permit) -> Iterator[None]:
    """One transaction in which something is learned, under a consent that is held until its end."""
    permit.require(ConsentScope.MEMORY_LEARNING)
    with transaction.atomic():
        hold_permit(permit)
        yield


def content_hash(user_id: UUID, content: str) -> str:
    """An HMAC of the normalized words under the user's own key: equal statements match, guesses prove nothing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT content_key FROM accounts_user WHERE id = %s", [user_id])
        (key,) = cursor.fetchone()
    return hmac.new(key, comparison_form(content).encode(), hashlib.sha256).hexdigest()


_SAME_WORDS = """
    SELECT id FROM memory_memoryitem
    WHERE user_id = %s AND content_hash = %s AND group_id IS NOT DISTINCT FROM %s
      AND superseded_at IS NULL AND tombstone_id IS NULL
    FOR UPDATE
"""


def item_of_same_words(permit: Permit, content: str, group_id: UUID | None) -> MemoryItem | None:
    """The open item in the same words, locked; None if there is none.

    An item that awaits its purge after a withdrawn consent is closed here and not returned: it must not be used. Raises
    ``KindWithheld`` for one that is kept from the acting program: no two items have the same words.
    """
    item = _find_same_words(permit, content, group_id)
    if item is not None:
        require_shown(item.memory_type)
    if item is None or item.consent_version >= scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING):
        return item
    close_version(item, at=item.valid_at, state=State.INVALID, now=timezone.now())
    return None


@in_full_sight()
def _find_same_words(permit: Permit, content: str, group_id: UUID | None) -> MemoryItem | None:
    same = (permit.user_id, content_hash(permit.user_id, content), _group_of(permit, group_id))
    with connection.cursor() as cursor:  # usually there is none, and raw SQL takes a tenth of the time of the ORM
        cursor.execute(_SAME_WORDS, same)
        found = cursor.fetchone()
    return MemoryItem.objects.filter(pk=found[0]).first() if found else None


def store_version(
    permit: Permit, draft: ItemDraft, *, now: datetime, valid_at: datetime, chain_id: UUID | None = None
) -> MemoryItem:
    """Write the next version of a chain, or the first of a new one, and make it searchable.

    Call within ``learning_transaction``, with no open item of the same words. Raises ``KindWithheld`` for a kind that
    is kept from the acting program.
    """
    require_shown(draft.memory_type)
    item = MemoryItem(
        user_id=permit.user_id,
        tenant_id=_tenant_of(permit.user_id),
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
        updated_at=now,
    )
    insert_rows([item])
    _make_searchable(item, draft)
    if draft.quarantined:
        visibility.withhold_item(item)
    report_written("item", permit.consent_id)
    rebuild_later(item.user_id)
    return item


def _tenant_of(user_id: UUID) -> UUID | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id FROM accounts_user WHERE id = %s", [user_id])
        found: UUID | None = cursor.fetchone()[0]
    return found


def _make_searchable(item: MemoryItem, draft: ItemDraft) -> None:
    documents = [item_document(item)]
    if draft.vector is None:
        index_now(documents)
    else:
        index(documents, [draft.vector], draft.model_id)


def close_version(
    item: MemoryItem,
    *,
    at: datetime,
    state: str,
    now: datetime,
    by: MemoryItem | None = None,
    is_restated: bool = False,
) -> None:
    """Close a version: true of the world until ``at``, believed until ``now``, replaced by ``by``.

    An item that awaited the user's confirmation and was never accepted was never believed. The messages that taught the
    item become past with it, unless the statement ``is_restated``: it still holds, in another version.
    """
    if item.state == State.QUARANTINED and not item.changes.filter(action__in=_BELIEVED_BY).exists():
        at, now = item.valid_at, item.created_at
    MemoryItem.objects.filter(pk=item.pk).update(state=state, invalid_at=at, superseded_at=now, superseded_by=by)
    visibility.hide_closed(item, with_messages=not is_restated)
    rebuild_later(item.user_id)


def change_fields(item: MemoryItem, **fields: Any) -> MemoryItem:
    """Change fields of an item such as its state and confidence, never its words, and update search; returns the row
    as it is now.
    """
    MemoryItem.objects.filter(pk=item.pk).update(**fields)
    item.refresh_from_db()
    if _SEARCHED_FIELDS & fields.keys():
        visibility.update_visibility(item)
        rebuild_later(item.user_id)
    return item


def record_repeats(item: MemoryItem, message_ids: Sequence[str], sessions: Sequence[UUID] = ()) -> None:
    """Add messages that only repeat an item, and their conversations, to its sources.

    Their visibility follows the item's: they become past once it no longer holds, and are withheld while it awaits the
    user's confirmation.
    """
    named = dict.fromkeys([*item.provenance_detail.get("message_ids", ()), *message_ids])
    item.provenance_detail = item.provenance_detail | {"message_ids": list(named)}
    item.source_sessions = list(dict.fromkeys([*item.source_sessions, *sessions]))
    noted = {"provenance_detail": item.provenance_detail, "source_sessions": item.source_sessions}
    MemoryItem.objects.filter(pk=item.pk).update(**noted)
    visibility.withhold_repeats(item, [UUID(key) for key in message_ids])


_BELIEVED_BY: Final = (
    EvolutionEvent.Action.ACCEPTED,
    EvolutionEvent.Action.FUSED,
    EvolutionEvent.Action.CALIBRATED,
)
"""Changes that only an item in use can have had: it was believed, even if it awaits a decision now."""
_SEARCHED_FIELDS: Final = frozenset({"state", "superseded_at", "superseded_by_id", "epistemic_type"})
"""The fields that search depends on."""


def lock_open(item: MemoryItem) -> MemoryItem:
    """The open row, locked. Raises ``NotFound`` when somebody closed it meanwhile."""
    row = MemoryItem.objects.select_for_update().filter(pk=item.pk, superseded_at=None).first()
    if row is None:
        raise NotFound(_("This memory has just changed. Reload it and try again."))
    return row


def _group_of(permit: Permit, group_id: UUID | None) -> UUID | None:
    """The group of a new version; None where the user has left it."""
    return group_id if is_member(permit.user_id, group_id) else None


def _next_version(permit: Permit, chain_id: UUID | None) -> int:
    """One above the highest version: after an undo the open version is not the latest."""
    if chain_id is None:
        return 1
    chain = MemoryItem.objects.owned_by(permit.user_id).filter(chain_id=chain_id)
    highest: int = chain.aggregate(highest=Max("version"))["highest"] or 0
    return highest + 1
