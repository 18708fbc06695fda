"""Remembers what was found out about a server's models for 15 minutes, so that an upgraded server is tried anew.

"Memory" here is a cache in this process, not what the product remembers about a user.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

Value = TypeVar("Value")
REMEMBERED_SECONDS = 900.0


class ExpiringMemory(Generic[Value]):
    """A cache of one value per model, whose entries expire. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._values: dict[str, tuple[Value, float]] = {}

    def get(self, model_id: str) -> Value | None:
        """The value; None if there is none or it has expired."""
        known = self._values.get(model_id)
        return known[0] if known is not None and self._clock() < known[1] else None

    def put(self, model_id: str, value: Value) -> None:
        """Remember the value for ``REMEMBERED_SECONDS``."""
        self._values[model_id] = (value, self._clock() + REMEMBERED_SECONDS)
