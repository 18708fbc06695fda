"""What cannot hold beside a statement that its person has called right (M-14, M-16)."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from memory.governance.arbitration import contradicted_by
from memory.governance.reading import items_in_use, statement_of
from memory.models import MemoryItem
from memory.services import versions


def put_away(permit: Permit, item: MemoryItem) -> list[UUID]:
    """Close what is in use and contradicts ``item``, whoever would win by the rule: the person has just decided.

    Answers the ids of what was closed. Call while ``holding`` the permit.
    """
    in_use = {one.pk: one for one in items_in_use(permit).exclude(pk=item.pk).filter(**_same_subject(item))}
    losers = contradicted_by(statement_of(item), map(statement_of, in_use.values()))
    for loser in losers:
        row = in_use[loser.id]
        ends = max(item.valid_at, row.valid_at)  # newer than what is right, it never held
        versions.close(row, at=ends, state=versions.State.SUPERSEDED, now=timezone.now(), by=item)
    return [loser.id for loser in losers]


def _same_subject(item: MemoryItem) -> dict[str, str]:
    return {"attributes__subject": str(item.attributes.get("subject", ""))}
