"""Lets a web request release its slot among the few that compute, while it waits for something slow.

A web process queues its requests for these slots (``finclaw/server/compute_queue.py``). In other processes there is no
queue, and ``compute_slot_released`` does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class ComputeSlot(Protocol):
    """The right of one request to compute, which only a few have at a time."""

    def give_back(self) -> None:
        """Let the next request compute."""

    def take_again(self) -> None:
        """Wait for a slot again, ahead of requests that have not begun."""


current_slot: ContextVar[ComputeSlot | None] = ContextVar("current_slot", default=None)


@contextmanager
def compute_slot_released() -> Iterator[None]:
    """Release this request's slot during the block, which only waits, and take one again at the end."""
    slot = current_slot.get()
    if slot is None:
        yield
        return
    slot.give_back()
    try:
        yield
    finally:
        slot.take_again()
