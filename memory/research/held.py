"""What a thread holds now: the inferences that its next refresh is compared with."""

from __future__ import annotations

from datetime import datetime

from consent.permit import Permit
from memory.models import Thread
from memory.research.results import snapshots_of
from memory.research.types import Source, Statement


def inferences_of(permit: Permit, thread: Thread, as_of: datetime | None = None) -> tuple[Statement, ...]:
    """The thread's thesis, then what the snapshot behind it stands on, each statement as taken from that snapshot.

    With ``as_of`` of the latest snapshot there was then; nothing where there was none yet.
    """
    snapshots = snapshots_of(permit).filter(thread=thread)
    latest = (snapshots if as_of is None else snapshots.filter(created_at__lte=as_of)).first()
    if latest is None:
        return () if as_of else (Statement(thread.current_thesis),)
    source = Source("snapshot", str(latest.pk))
    arrays = (latest.evidence, latest.counter_thesis, latest.invalidators)
    statements = (Statement.from_json(one) for array in arrays for one in array)
    held = dict.fromkeys(Statement(one.text, one.dated_at, (*one.sources, source)) for one in statements)
    thesis_sources = tuple(map(Source.from_json, latest.thesis_sources))
    return (Statement(latest.main_thesis, None, (*thesis_sources, source)), *held)
