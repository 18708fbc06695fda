"""Closes memories that contradict one which the user has confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from foundation.database.acting_program import in_full_sight
from memory.evolution.comparison import contradicted_by
from memory.models import MemoryItem
from memory.querysets import MemoryItemQuerySet
from memory.services import versions
from memory.services.comparable_items import comparable_item
from memory.services.item_queries import items_in_use, open_items

MAY_CHANGE: Final = "may_change"
"""The key in ``provenance_detail`` for the chains that an item perhaps changes."""
PUTS_AWAY: Final = "puts_away"
"""The key in ``provenance_detail`` for the chains that an item replaces once the user confirms it."""


@in_full_sight()
def close_contradicted(permit: Permit, item: MemoryItem) -> dict[str, list[UUID]]:
    """Close the items in use that contradict ``item``, whatever the rule says: the user has just decided.

    Also what is kept from the program through which they decided: two memories that contradict each other would both
    hold. Returns the ids of what was closed as ``history.record_change`` keeps them. Call while holding the permit.
    """
    in_use = {other.pk: other for other in items_in_use(permit).exclude(pk=item.pk).filter(**_same_subject(item))}
    losers = contradicted_by(comparable_item(item), map(comparable_item, in_use.values()))
    [(_, named)] = named_by_each([item], PUTS_AWAY, among=open_items(permit))
    gone = {other.pk: other for other in [*named, *(in_use[loser.id] for loser in losers)]}
    waited = [key for key, row in gone.items() if row.state == MemoryItem.State.QUARANTINED]
    for row in gone.values():
        ends = max(item.valid_at, row.valid_at)  # one that begins later than the confirmed item was never true
        versions.close_version(row, at=ends, state=versions.State.SUPERSEDED, now=timezone.now(), by=item)
    return {"merged": list(gone), "waited": waited}


def named_by_each(
    naming: Sequence[MemoryItem], key: str, *, among: MemoryItemQuerySet
) -> list[tuple[MemoryItem, list[MemoryItem]]]:
    """For each memory in ``naming`` the older items ``among`` these whose chains its ``provenance_detail`` names under
    ``key``. One query.
    """
    chains = {item.pk: {UUID(chain) for chain in item.provenance_detail.get(key, ())} for item in naming}
    wanted = set().union(*chains.values())
    found = list(among.filter(chain_id__in=wanted)) if wanted else []
    return [
        (item, [other for other in found if other.chain_id in chains[item.pk] and _is_older(other, item)])
        for item in naming
    ]


def _is_older(other: MemoryItem, item: MemoryItem) -> bool:
    return other.pk != item.pk and other.valid_at <= item.valid_at


def _same_subject(item: MemoryItem) -> dict[str, str]:
    return {"attributes__subject": item.subject}
