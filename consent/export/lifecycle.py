"""The states of an export and the steps between them: pending → building → ready | failed, ready → expired."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from consent.models import DataExport

State = DataExport.State
UNFINISHED = (State.PENDING, State.BUILDING)
# From building to building after a worker died, from failed when an operator has its job tried again.
_FROM: dict[State, tuple[State, ...]] = {
    State.BUILDING: (State.PENDING, State.BUILDING, State.FAILED),
    State.READY: (State.BUILDING,),
    State.FAILED: UNFINISHED,
    State.EXPIRED: (State.READY,),
}


def advance_export(export_id: UUID, to: State, **changes: Any) -> bool:
    """Move an export to another state by compare-and-set; answers whether it was in a state that leads there.

    To be called while acting for its user; an export that an erasure covers is not found.
    """
    reachable = DataExport.objects.filter(pk=export_id, state__in=_FROM[to])
    return reachable.update(state=to, **changes) == 1
