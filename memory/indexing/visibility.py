"""Decides which entries ordinary search shows: it hides closed memories and marks the messages behind them as past.

Messages from which a memory was learned that awaits the user's confirmation are withheld from every search. A program's
change reaches messages and memories that the program itself is not shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from uuid import UUID

from foundation.database.acting_program import in_full_sight
from memory.evolution.review_reasons import ASKED_BY_GATE
from memory.indexing import withheld_messages
from memory.indexing.unconfirmed_health import messages_behind_refused
from memory.models import MemoryItem, SearchEntry

OUTDATED = MemoryItem.EpistemicType.OUTDATED


@in_full_sight()
def hide_closed(item: MemoryItem, *, with_messages: bool) -> None:
    """Hide an item from ordinary search, and mark the messages that taught it as past.

    Questions about the past still find them. Pass ``with_messages=False`` where another item keeps what they say.
    """
    messages = item.message_ids if with_messages else ()
    SearchEntry.objects.filter(pk__in=[item.pk, *messages], user_id=item.user_id).update(live=False)


@in_full_sight()
def mark_overtaken(message_id: UUID) -> None:
    """Mark as past a message that arrived late and states what newer knowledge already contradicts."""
    SearchEntry.objects.filter(pk=message_id).update(live=False)


def past_messages(user_id: UUID, message_ids: Collection[UUID]) -> set[UUID]:
    """The user's messages marked as past: what they state holds no more, or was refused."""
    past = SearchEntry.objects.filter(pk__in=message_ids, live=False).values_list("pk", flat=True)
    return set(past) | messages_behind_refused(user_id, message_ids)


@in_full_sight()
def update_visibility(item: MemoryItem) -> None:
    """Update search after an item's state changed.

    An item in use is found again, and so are its messages, unless another item that they taught is past or awaits the
    user's confirmation.
    """
    if _waits(item):
        withhold_item(item)
        if _is_only_asked(item):
            _follow_messages(item)
        return
    if item.state != MemoryItem.State.ACTIVE or item.superseded_at is not None:
        hide_closed(item, with_messages=True)
        return
    SearchEntry.objects.filter(pk=item.pk).update(live=True)
    _follow_messages(item)


def _follow_messages(item: MemoryItem) -> None:
    messages = set(item.message_ids)
    past = _past_among(item, messages) if messages else set()
    withheld_messages.restore_messages(item.user_id, messages - past)
    for live, which in ((True, messages - past), (False, past)):
        if which:
            SearchEntry.objects.filter(pk__in=which, user_id=item.user_id).exclude(live=live).update(live=live)


@in_full_sight()
def withhold_item(item: MemoryItem) -> None:
    """Take an item that awaits the user's confirmation out of search, with the messages that taught it.

    The messages stay where the gate only doubts that the statement lasts.
    """
    hide_closed(item, with_messages=False)
    if not _is_only_asked(item):
        withheld_messages.withhold_messages(item.user_id, item.message_ids)


@in_full_sight()
def withhold_repeats(item: MemoryItem, messages: Collection[UUID]) -> None:
    """Withhold further messages that repeat an item if the messages that taught it are withheld."""
    if _waits(item) and not _is_only_asked(item):
        withheld_messages.withhold_messages(item.user_id, messages)


def _waits(item: MemoryItem) -> bool:
    return item.state == MemoryItem.State.QUARANTINED and item.superseded_at is None


def _is_only_asked(item: MemoryItem) -> bool:
    return bool(item.provenance_detail.get("doubt") == ASKED_BY_GATE)


def _past_among(item: MemoryItem, messages: Collection[UUID]) -> set[UUID]:
    taught = list(MemoryItem.objects.owned_by(item.user_id).taught_by(messages))
    return {key for key in messages if ended_items([other for other in taught if key in other.message_ids])}


def ended_items(taught: Sequence[MemoryItem]) -> list[MemoryItem]:
    """Of all the items that a message taught, the ended ones: outdated, or closed and not restated by an open item."""
    open_items = [item for item in taught if item.superseded_at is None]
    known = {item.pk: item for item in taught}
    return [item for item in taught if _has_ended(item, open_items, known)]


def _has_ended(item: MemoryItem, open_items: Sequence[MemoryItem], known: Mapping[UUID, MemoryItem]) -> bool:
    if item in open_items:
        return bool(item.epistemic_type == OUTDATED)
    return not any(_is_restated(each, open_items) for each in _successors(item, known))


def _successors(item: MemoryItem, known: Mapping[UUID, MemoryItem]) -> Iterator[MemoryItem]:
    """The item and its successive replacements: an item that was merged and then confirmed still says the same."""
    heir: MemoryItem | None = item
    while heir is not None:
        yield heir
        heir = known.get(heir.superseded_by_id) if heir.superseded_by_id else None


def _is_restated(closed: MemoryItem, open_items: Sequence[MemoryItem]) -> bool:
    """Whether an open item says what the closed one said: it has the same text, replaced it, or was merged from it."""
    parts = closed.provenance_detail.get("merged_from", ())
    return any(
        item.content_hash == closed.content_hash or item.pk == closed.superseded_by_id or str(item.pk) in parts
        for item in open_items
    )
