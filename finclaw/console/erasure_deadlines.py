"""Open erasures on the Today page: how many by urgency, and which are due next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from consent.erasure_deadlines import OpenErasure, open_erasures
from consent.legal_terms import Urgency
from consent.models import Tombstone
from consent.models.erasure_states import ErasureState
from foundation.admin import duration_in_words

SHOWN = 10


@dataclass(frozen=True)
class DueErasure:
    """One line of the page; ``span`` is the time until it is due, or since, in words."""

    tombstone: Tombstone
    level: Urgency
    span: str


@dataclass(frozen=True)
class ErasuresDue:
    """``levels`` holds every urgency with its count; ``next_due`` are the first few, ``others`` counts the rest."""

    levels: tuple[tuple[Urgency, int], ...]
    escalated: int
    overdue: int
    next_due: tuple[DueErasure, ...]
    others: int


def erasures_due(now: datetime) -> ErasuresDue:
    """The open erasures. Call in the operators' role."""
    found = open_erasures(now)
    counts = Counter(erasure.urgency for erasure in found)
    return ErasuresDue(
        levels=tuple((level, counts[level]) for level in Urgency),
        escalated=sum(erasure.tombstone.state == ErasureState.ESCALATED for erasure in found),
        overdue=counts[Urgency.OVERDUE],
        next_due=tuple(_due_line(erasure, now) for erasure in found[:SHOWN]),
        others=max(len(found) - SHOWN, 0),
    )


def _due_line(erasure: OpenErasure, now: datetime) -> DueErasure:
    span = duration_in_words(abs(erasure.tombstone.due_at - now))
    return DueErasure(erasure.tombstone, erasure.urgency, span)
