"""What would have ended a thesis that a thread held before it was turned round."""

from __future__ import annotations

from collections.abc import Iterable

from consent.permit import Permit
from finclaw.brain.research.thesis_reversal import turned_round
from finclaw.brain.research.watch_conditions import condition_of
from finclaw.web.statements import Kept
from foundation.text import normalize
from memory.models import Snapshot
from memory.research.results import snapshots_of


def split_by_thesis(permit: Permit, snapshot: Snapshot) -> tuple[Kept, Kept]:
    """What would end the snapshot's thesis, and what would have ended one that its thread held before: carried over
    from such a snapshot, or named there alone.
    """
    turned = _turned_before(permit, snapshot)
    keys = {str(one.pk) for one in turned}
    own = [one for one in snapshot.invalidators if not _is_from(one["sources"], keys)]
    named = {normalize(one["text"]): one for before in turned for one in before.invalidators}
    for one in own:
        named.pop(normalize(one["text"]), None)
    return own, list(named.values())


def of_former_theses(permit: Permit, latest: Snapshot | None) -> frozenset[str]:
    """The conditions, as ``condition_of`` answers them, that were to end a thesis that the thread holds no more."""
    _own, former = split_by_thesis(permit, latest) if latest else ([], [])
    return frozenset(condition_of(one["text"]) for one in former)


def _turned_before(permit: Permit, snapshot: Snapshot) -> list[Snapshot]:
    """The earlier snapshots of its thread whose thesis it turned round, the oldest first."""
    if snapshot.thread_id is None:
        return []
    earlier = snapshots_of(permit).filter(thread_id=snapshot.thread_id, created_at__lt=snapshot.created_at)
    return [one for one in reversed(earlier) if turned_round(one.main_thesis, snapshot.main_thesis)]


def _is_from(sources: Iterable[dict[str, str]], snapshots: set[str]) -> bool:
    return any(one["kind"] == "snapshot" and one["id"] in snapshots for one in sources)
