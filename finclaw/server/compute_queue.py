"""Queues requests, first come, first served, so that only a few compute at a time in a web process.

One interpreter computes for all requests of a process. If a hundred ran at once, each would advance by one SQL
statement at a time, all would end late, together, and what must be answered at once, like the liveness check, would
wait behind them all.
"""

from __future__ import annotations

from collections import deque
from math import ceil
from time import monotonic
from typing import Any, Final

from gevent import get_hub, getcurrent
from gevent.event import AsyncResult
from gevent.timeout import Timeout

_FIRST_GUESS_SECONDS: Final = 0.1
_WEIGHT: Final = 0.05
"""The weight of the latest gap between two admitted requests in the moving average of such gaps."""


class ComputeQueueFull(Exception):
    """The queue is full or too slow: ``waiting`` requests are expected to be done after ``retry_after`` seconds."""

    def __init__(self, waiting: int, retry_after: int) -> None:
        super().__init__(waiting, retry_after)
        self.waiting, self.retry_after = waiting, retry_after


class ComputeQueue:
    """``slots`` requests compute at a time, at most ``longest`` wait, each no longer than ``patience`` seconds.

    A request holds a slot for at most ``hold_seconds`` at a stretch. One that takes longer, for example waiting for a
    database lock, goes on without a slot, so that a few of them never stop the rest. For greenlets of one thread only.
    """

    def __init__(self, slots: int, *, longest: int, patience: float, hold_seconds: float) -> None:
        self._free = slots
        self._longest = longest
        self._patience = patience
        self._hold_seconds = hold_seconds
        self._new: deque[AsyncResult[None]] = deque()
        self._returning: deque[AsyncResult[None]] = deque()
        self._pace = _FIRST_GUESS_SECONDS
        self._moved_at = monotonic()

    @property
    def waiting(self) -> int:
        """How many requests wait to begin; those that have begun and wait for a slot again do not count."""
        return len(self._new)

    def enter(self) -> RequestSlot:
        """Wait for a slot. Raises ``ComputeQueueFull``."""
        slot = RequestSlot(self, self._hold_seconds)
        if len(self._new) >= self._longest:
            raise self._full_error()
        if not self._wait(self._new, self._patience):
            raise self._full_error()
        slot.occupy()
        return slot

    def enter_again(self) -> None:
        """Wait for a slot, ahead of all requests that have not begun."""
        self._wait(self._returning, None)

    def leave(self) -> None:
        """Give a slot to the next."""
        self._free += 1
        self._let_in()

    def _wait(self, queue: deque[AsyncResult[None]], patience: float | None) -> bool:
        if self._free and not queue:
            self._free -= 1
            if not self._new:
                self._moved_at = monotonic()
            return True
        turn: AsyncResult[None] = AsyncResult()
        queue.append(turn)
        try:
            turn.get(timeout=patience)
        except Timeout:
            return self._withdraw(queue, turn)
        except BaseException:
            if self._withdraw(queue, turn):
                self.leave()
            raise
        return True

    def _withdraw(self, queue: deque[AsyncResult[None]], turn: AsyncResult[None]) -> bool:
        """Stop waiting, and say whether a slot was given at the last moment."""
        if turn.ready():
            return True
        queue.remove(turn)
        return False

    def _let_in(self) -> None:
        while self._free and (self._returning or self._new):
            self._free -= 1
            if self._returning:
                self._returning.popleft().set()
                continue
            self._note_pace()
            self._new.popleft().set()

    def _note_pace(self) -> None:
        now = monotonic()
        self._pace += _WEIGHT * (now - self._moved_at - self._pace)
        self._moved_at = now

    def _full_error(self) -> ComputeQueueFull:
        return ComputeQueueFull(len(self._new), max(1, ceil(len(self._new) * self._pace)))


class RequestSlot:
    """One request's right to compute, from its first step to its last byte.

    Only the request's own greenlet gives the slot back or takes it again; calls that it runs concurrently do not.
    """

    def __init__(self, queue: ComputeQueue, hold_seconds: float) -> None:
        self._queue = queue
        self._hold_seconds = hold_seconds
        self._greenlet = getcurrent()
        self._is_occupied = False
        self._is_over = False
        self._timer: Any = None

    def occupy(self) -> None:
        """Begin to use a slot."""
        self._is_occupied = True
        self._timer = get_hub().loop.timer(self._hold_seconds)
        self._timer.start(self._return)

    def give_back(self) -> None:
        """Let the next request compute; does nothing where no slot is held."""
        if getcurrent() is self._greenlet:
            self._return()

    def take_again(self) -> None:
        """Wait for a slot before requests that have not begun; does nothing after the request's end."""
        if getcurrent() is self._greenlet and not (self._is_occupied or self._is_over):
            self._queue.enter_again()
            self.occupy()

    def close(self) -> None:
        """Give back the slot, if one is held, and never take one again."""
        self._is_over = True
        self._return()

    def _return(self) -> None:
        if self._is_occupied:
            self._is_occupied = False
            self._timer.close()
            self._queue.leave()
