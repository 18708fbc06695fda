"""What an answer had to do without: reported where it is noticed, collected at the door of a turn or task.

Steps between the two need not hand the reasons on.
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
    """Report a part that an answer goes without, and count it."""
    DEGRADED.labels(reason=reason).inc()
    note_degraded([reason])


def note_degraded(reasons: Iterable[str]) -> None:
    """Report what was counted where it occurred."""
    collected = _collected.get()
    if collected is not None:
        collected |= dict.fromkeys(reasons)


def was_reported(reason: str) -> bool:
    """Whether this turn or task reported the reason already."""
    return reason in (_collected.get() or ())
