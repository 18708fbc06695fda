"""What would have ended a thesis that a thread held before it was turned round."""

from __future__ import annotations

from collections.abc import Iterable

from consent.permit import Permit
from finclaw.brain.research.thesis_reversal import is_reversed
from finclaw.brain.research.watch_conditions import normalize_condition
from finclaw.web.statements import StatementArray
from foundation.text import normalize
from memory.models import Snapshot
from memory.research.results import snapshots_of


def split_invalidators(permit: Permit, snapshot: Snapshot) -> tuple[StatementArray, StatementArray]:
    """What would end the snapshot's thesis, and what would have ended one that its thread held before: carried over
    from such a snapshot, or named there alone.
    """
    turned = _reversed_snapshots(permit, snapshot)
    keys = {str(one.pk) for one in turned}
    own = [one for one in snapshot.invalidators if not _is_from_snapshot(one["sources"], keys)]
    named = {normalize(one["text"]): one for before in turned for one in before.invalidators}
    for one in own:
        named.pop(normalize(one["text"]), None)
    return own, list(named.values())


def past_conditions(permit: Permit, latest: Snapshot | None) -> frozenset[str]:
    """Normalized conditions that would have ended a thesis which the thread no longer holds."""
    _own, former = split_invalidators(permit, latest) if latest else ([], [])
    return frozenset(normalize_condition(one["text"]) for one in former)


def _reversed_snapshots(permit: Permit, snapshot: Snapshot) -> list[Snapshot]:
    """The earlier snapshots of its thread whose thesis it turned round, the oldest first."""
    if snapshot.thread_id is None:
        return []
    earlier = snapshots_of(permit).filter(thread_id=snapshot.thread_id, created_at__lt=snapshot.created_at)
    return [one for one in reversed(earlier) if is_reversed(one.main_thesis, snapshot.main_thesis)]


def _is_from_snapshot(sources: Iterable[dict[str, str]], snapshots: set[str]) -> bool:
    return any(one["kind"] == "snapshot" and one["id"] in snapshots for one in sources)
