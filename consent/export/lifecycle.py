"""Moves exports from state to state: pending → building → ready | failed | cancelled, ready → expired."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from consent.models import DataExport

State = DataExport.State
UNFINISHED = (State.PENDING, State.BUILDING)
# Building may follow building after a worker died, and failed when an operator retries the job.
_FROM: dict[State, tuple[State, ...]] = {
    State.BUILDING: (State.PENDING, State.BUILDING, State.FAILED),
    State.READY: (State.BUILDING,),
    State.FAILED: UNFINISHED,
    State.EXPIRED: (State.READY,),
    State.CANCELLED: UNFINISHED,
}


def advance_export(export_id: UUID, to: State, **changes: Any) -> bool:
    """Move an export to another state by compare-and-set; returns False where its state does not lead there.

    Call acting for its user; an export that an erasure covers is not found.
    """
    reachable = DataExport.objects.filter(pk=export_id, state__in=_FROM[to])
    return reachable.update(state=to, **changes) == 1
