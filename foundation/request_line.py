"""Lets a web request give up its place among the few that compute, while it waits for something slow.

The "request line" is the queue of HTTP requests in a web process (``finclaw/server/request_line.py``), not the first
line of an HTTP message. In other processes there is no queue, and ``aside`` does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class ComputingPlace(Protocol):
    """The place of one request among the few that may compute at a time."""

    def give_back(self) -> None:
        """Let the next request compute."""

    def take_again(self) -> None:
        """Wait for a place again, ahead of requests that have not begun."""


current_place: ContextVar[ComputingPlace | None] = ContextVar("current_place", default=None)


@contextmanager
def aside() -> Iterator[None]:
    """Give up this request's place during the block, which only waits, and take it again at the end."""
    place = current_place.get()
    if place is None:
        yield
        return
    place.give_back()
    try:
        yield
    finally:
        place.take_again()
