"""What cannot hold beside a statement that the user has called right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from memory.governance.arbitration import contradicted_by
from memory.governance.upkeep_items import comparable_item, items_in_use, open_items
from memory.models import MemoryItem
from memory.querysets import MemoryItemQuerySet
from memory.services import versions

MAY_CHANGE: Final = "may_change"
"""In an item's ``provenance_detail``: the ids of the chains that it perhaps changes."""
PUTS_AWAY: Final = "puts_away"
"""And of those that it takes the place of once the user says that it is right."""


def close_contradicted(permit: Permit, item: MemoryItem) -> dict[str, list[UUID]]:
    """Close what is in use and contradicts ``item``, whoever would win by the rule: the user has just decided.

    Answers the ids of what was closed as ``history.record`` keeps them. Call while ``holding`` the permit.
    """
    in_use = {other.pk: other for other in items_in_use(permit).exclude(pk=item.pk).filter(**_same_subject(item))}
    losers = contradicted_by(comparable_item(item), map(comparable_item, in_use.values()))
    [(_, named)] = named_by_each([item], PUTS_AWAY, among=open_items(permit))
    gone = {other.pk: other for other in [*named, *(in_use[loser.id] for loser in losers)]}
    waited = [key for key, row in gone.items() if row.state == MemoryItem.State.QUARANTINED]
    for row in gone.values():
        ends = max(item.valid_at, row.valid_at)  # newer than what is right, it never held
        versions.close_version(row, at=ends, state=versions.State.SUPERSEDED, now=timezone.now(), by=item)
    return {"merged": list(gone), "waited": waited}


def named_by_each(
    naming: Sequence[MemoryItem], key: str, *, among: MemoryItemQuerySet
) -> list[tuple[MemoryItem, list[MemoryItem]]]:
    """Each memory with those ``among`` these whose chains it names under this key of its ``provenance_detail``; in one
    query.

    Not where such a chain has moved on since to what is newer.
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
    return {"attributes__subject": str(item.attributes.get("subject", ""))}
