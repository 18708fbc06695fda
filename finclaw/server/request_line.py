"""A first-come, first-served line before the few requests that compute at a time in a web process.

One interpreter computes for all of its requests. Were a hundred let in at once, each would advance by a statement at a
time, all would end late, together, and whatever must be answered at once, like liveness, would wait behind them all.
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
"""Of the latest gap between two requests let in, when their pace is estimated."""


class LineTooLong(Exception):
    """So many requests wait, and will have been worked off after ``retry_after`` seconds."""

    def __init__(self, waiting: int, retry_after: int) -> None:
        super().__init__(waiting, retry_after)
        self.waiting, self.retry_after = waiting, retry_after


class RequestLine:
    """``places`` requests compute at a time, at most ``longest`` wait, each no longer than ``patience`` seconds.

    A place is lent for ``lent`` seconds at a stretch: a request that takes longer, as one that waits for a lock in the
    database, goes on without one, so that a few of them never stop the rest. For greenlets of one thread only.
    """

    def __init__(self, places: int, *, longest: int, patience: float, lent: float) -> None:
        self._free = places
        self._longest = longest
        self._patience = patience
        self._lent = lent
        self._new: deque[AsyncResult[None]] = deque()
        self._returning: deque[AsyncResult[None]] = deque()
        self._pace = _FIRST_GUESS_SECONDS
        self._moved_at = monotonic()

    @property
    def waiting(self) -> int:
        """How many requests wait that have not begun."""
        return len(self._new)

    def enter(self) -> RequestPlace:
        """Wait for a place. Raises ``LineTooLong``."""
        place = RequestPlace(self, self._lent)
        if len(self._new) >= self._longest:
            raise self._too_long()
        if not self._wait(self._new, self._patience):
            raise self._too_long()
        place.lend()
        return place

    def enter_again(self) -> None:
        """Wait for a place before all that have not begun."""
        self._wait(self._returning, None)

    def leave(self) -> None:
        """Give a place to the next."""
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
        """Stop waiting; whether the place was given in the last moment."""
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

    def _too_long(self) -> LineTooLong:
        return LineTooLong(len(self._new), max(1, ceil(len(self._new) * self._pace)))


class RequestPlace:
    """The place of one request, from its first step to its last byte.

    Calls that run beside the request, in its context, neither give it back nor take it.
    """

    def __init__(self, line: RequestLine, lent: float) -> None:
        self._line = line
        self._lent = lent
        self._greenlet = getcurrent()
        self._is_lent = False
        self._is_over = False
        self._timer: Any = None

    def lend(self) -> None:
        """Begin to use a place."""
        self._is_lent = True
        self._timer = get_hub().loop.timer(self._lent)
        self._timer.start(self._return)

    def give_back(self) -> None:
        """Let the next compute; does nothing without a place."""
        if getcurrent() is self._greenlet:
            self._return()

    def take_again(self) -> None:
        """Wait for a place before requests that have not begun; does nothing after the request's end."""
        if getcurrent() is self._greenlet and not (self._is_lent or self._is_over):
            self._line.enter_again()
            self.lend()

    def close(self) -> None:
        """Give back what is held, for good."""
        self._is_over = True
        self._return()

    def _return(self) -> None:
        if self._is_lent:
            self._is_lent = False
            self._timer.close()
            self._line.leave()
