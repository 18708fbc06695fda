"""Lets a request step out of the web server's line while it waits: who waits for something slow computes nothing.

The line itself is the web server's, ``finclaw/server/request_line.py``; elsewhere there is none, and nothing happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class ComputingPlace(Protocol):
    """A request's place among those that compute."""

    def give_back(self) -> None:
        """Let somebody else compute."""

    def take_again(self) -> None:
        """Wait for a place, before requests that have not begun."""


current_place: ContextVar[ComputingPlace | None] = ContextVar("current_place", default=None)


@contextmanager
def aside() -> Iterator[None]:
    """Wait inside this for a model, or for time to pass: other requests compute meanwhile."""
    place = current_place.get()
    if place is None:
        yield
        return
    place.give_back()
    try:
        yield
    finally:
        place.take_again()
