"""Reads the present inferences of a thread, with which its next refresh is compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from consent.permit import Permit
from consent.services import scope_has_lapsed
from foundation.personal_data import ConsentScope
from memory.models import Snapshot, Thread
from memory.research.types import ResearchStatement, SourceKind, StatementSource

_LEARNED: Final = (ConsentScope.MEMORY_LEARNING,)
_LET_IN_BY: Final[Mapping[SourceKind, tuple[ConsentScope, ...]]] = MappingProxyType(
    {
        "item": _LEARNED,
        "event": _LEARNED,
        "thread": (ConsentScope.SAVE_TO_THREAD,),
        "context": (ConsentScope.SAVE_TO_THREAD, ConsentScope.SAVE_TO_PROFILE),
    }
)
"""The scopes that allow sources of each kind; for a context both, because a source does not say whose context it is."""


def inferences_of(permit: Permit, thread: Thread, as_of: datetime | None = None) -> tuple[ResearchStatement, ...]:
    """The thread's thesis, then the statements of the snapshot behind it, each with that snapshot as a source.

    With ``as_of`` it is the latest snapshot of that time; without one the result is empty. The thesis is empty if the
    user has withdrawn the consent to one of its sources since; only the user can still read it.
    """
    snapshots = snapshots_of_thread(permit, thread)
    latest = (snapshots if as_of is None else snapshots.filter(created_at__lte=as_of)).first()
    if latest is None:
        return () if as_of else (ResearchStatement(thread.current_thesis),)
    source = StatementSource("snapshot", str(latest.pk))
    arrays = (latest.evidence, latest.counter_thesis, latest.invalidators)
    statements = (ResearchStatement.from_json(entry) for array in arrays for entry in array)
    held = dict.fromkeys(
        ResearchStatement(statement.text, statement.dated_at, (*statement.sources, source)) for statement in statements
    )
    return (usable_thesis(permit, latest), *held)


def snapshots_of_thread(permit: Permit, thread: Thread) -> QuerySet[Snapshot]:
    """A thread's snapshots, the latest first."""
    return Snapshot.objects.filter(thread=thread, user_id=permit.user_id).order_by("-created_at", "-id")


def latest_snapshot(permit: Permit, thread: Thread) -> UUID | None:
    """The snapshot that a thread stands on now; None without one."""
    return snapshots_of_thread(permit, thread).values_list("pk", flat=True).first()


def usable_thesis(permit: Permit, snapshot: Snapshot) -> ResearchStatement:
    """The thesis with its snapshot as a source; empty where one of its sources may not be used again."""
    behind = tuple(map(StatementSource.from_json, snapshot.thesis_sources))
    scopes = {scope for source in behind for scope in _LET_IN_BY.get(source.kind, ())}
    if any(scope_has_lapsed(permit, scope, snapshot.consent_version) for scope in scopes):
        return ResearchStatement("")
    return ResearchStatement(snapshot.main_thesis, None, (*behind, StatementSource("snapshot", str(snapshot.pk))))
