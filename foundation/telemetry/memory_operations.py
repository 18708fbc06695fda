"""Reports memory operations: a log line, a metric and a span for each write and deletion, a metric for a search.

``scope`` names what kind of memory it is: a context's scope (task, thread, profile), or item, event, turn, summary,
entity_profile, drift. ``consent_id`` is the consent it was done under, None where there is no consent record.
``slices`` are the prompt slices (S1 to S9) that the rows are read as, where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import structlog

from foundation.telemetry.metrics import MEMORY_OPS
from foundation.telemetry.spans import Attribute, span

COMPONENT: Final = "agent.context_engine"
log = structlog.get_logger(__name__)


def report_written(scope: str, consent_id: UUID | None, *, count: int = 1, slices: Sequence[str] = ()) -> None:
    """Report that ``count`` rows were written."""
    _report("memory_write", "write", scope, consent_id, count, slices)


def report_deleted(scope: str, consent_id: UUID | None, *, count: int = 1, slices: Sequence[str] = ()) -> None:
    """Report that ``count`` rows were deleted."""
    _report("memory_delete", "delete", scope, consent_id, count, slices)


def report_blocked(scope: str, consent_id: UUID | None, *, count: int = 1) -> None:
    """Report that ``count`` rows were blocked: their user may still read them, nothing else does.

    Counted with the deletions.
    """
    _report("memory_delete", "block", scope, consent_id, count, ())


def count_search(kinds: Sequence[str]) -> None:
    """Count one search of memory. Reading changes nothing, so it writes no log line."""
    MEMORY_OPS.labels(op="search", scope=",".join(kinds)).inc()


def _report(event: str, op: str, scope: str, consent_id: UUID | None, count: int, slices: Sequence[str]) -> None:
    if not count:
        return
    MEMORY_OPS.labels(op=op, scope=scope).inc(count)
    about: dict[str, Attribute] = {
        "op": op,
        "scope": scope,
        "rows": count,
        "slice_id": list(slices),
        "consent_id_ref": str(consent_id or ""),
    }
    with span(event, **about):
        log.info(event, component=COMPONENT, **about)
