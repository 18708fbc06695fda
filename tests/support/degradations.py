"""What a step of a turn or task had to do without."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from foundation.telemetry.degradations import collect_degradations

Result = TypeVar("Result")


def with_degraded(step: Callable[[], Result]) -> tuple[Result, tuple[str, ...]]:
    """The result of a step, and the reasons it reported."""
    reasons: dict[str, None] = {}
    with collect_degradations(reasons):
        result = step()
    return result, tuple(reasons)
