"""Collects the reasons why an answer is degraded: which part of it failed or was replaced by something simpler.

Any step may add a reason; the code that runs the whole turn (one message and its answer) or task collects them through
a context variable, so the steps between need not pass them on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from foundation.telemetry.metrics import DEGRADED

_collected: Final[ContextVar[dict[str, None] | None]] = ContextVar("degradations", default=None)


@contextmanager
def collect_degradations(reasons: dict[str, None]) -> Iterator[None]:
    """Add the reasons reported in a block to the keys of ``reasons``, each once, in their order.

    A generator must not yield inside: what its caller reports would be collected too.
    """
    token = _collected.set(reasons)
    try:
        yield
    finally:
        _collected.reset(token)


def report_degraded(reason: str) -> None:
    """Count a degradation in the metrics, and add it to the reasons of the turn or task: for the place it happens."""
    DEGRADED.labels(reason=reason).inc()
    note_degraded([reason])


def note_degraded(reasons: Iterable[str]) -> None:
    """Add reasons to those of the turn or task without counting them in the metrics.

    For reasons that are counted where they occur, as those that a result of search carries.
    """
    collected = _collected.get()
    if collected is not None:
        collected |= dict.fromkeys(reasons)


def was_reported(reason: str) -> bool:
    """Whether this turn or task reported the reason already."""
    return reason in (_collected.get() or ())
