"""Separates invalidators (conditions that would end a thesis) of the present thesis from those before a reversal."""

from __future__ import annotations

from collections.abc import Iterable

from consent.permit import Permit
from finclaw.brain.research.comparison import condition_of, is_reversed
from finclaw.web.statements import StatementArray
from foundation.language import normalize
from memory.models import Snapshot
from memory.research.results import snapshots_of


def split_invalidators(permit: Permit, snapshot: Snapshot) -> tuple[StatementArray, StatementArray]:
    """The invalidators of the snapshot's own thesis, and those of earlier theses that it reversed."""
    turned = _reversed_snapshots(permit, snapshot)
    keys = {str(reversal.pk) for reversal in turned}
    own = [invalidator for invalidator in snapshot.invalidators if not _is_from_snapshot(invalidator["sources"], keys)]
    named = {normalize(invalidator["text"]): invalidator for before in turned for invalidator in before.invalidators}
    for invalidator in own:
        named.pop(normalize(invalidator["text"]), None)
    return own, list(named.values())


def past_conditions(permit: Permit, latest: Snapshot | None) -> frozenset[str]:
    """Normalized conditions that would have ended a thesis which the thread no longer holds."""
    _own, former = split_invalidators(permit, latest) if latest else ([], [])
    return frozenset(condition_of(invalidator["text"]) for invalidator in former)


def _reversed_snapshots(permit: Permit, snapshot: Snapshot) -> list[Snapshot]:
    """Earlier snapshots of the thread whose thesis this one reversed, oldest first."""
    if snapshot.thread_id is None:
        return []
    earlier = snapshots_of(permit).filter(thread_id=snapshot.thread_id, created_at__lt=snapshot.created_at)
    return [former for former in reversed(earlier) if is_reversed(former.main_thesis, snapshot.main_thesis)]


def _is_from_snapshot(sources: Iterable[dict[str, str]], snapshots: set[str]) -> bool:
    return any(source["kind"] == "snapshot" and source["id"] in snapshots for source in sources)
