"""A circuit breaker for one model of one server: while the server is down, calls fail at once instead of one by one.

While the circuit is closed, calls pass. It opens after several failures in a row that were the server's fault, or after
one time-out during which no other call heard from the server either: then calls fail with ``circuit_open``. After a
while one call may try (half open); an answer closes the circuit, a failure opens it for twice as long.

No library on PyPI does this. pybreaker 1.4 holds its lock for as long as a call lasts, so one call at a time is in
flight; circuitbreaker 2.1 and purgatory 3.0 have no lock and let every call try at once when half open; aiobreaker
dates from 2021. All of them wrap a function. Here an answer is a stream that shows long before its end that the server
is back, and whether a silence counts depends on what other calls received meanwhile.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from foundation.llm.admission_rules import CircuitRules
from foundation.llm.clock import Clock
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import unavailable

FIRST_OPEN_SECONDS: Final = 5.0
LONGEST_OPEN_SECONDS: Final = 60.0
_LEAST_SHARE: Final = 0.75  # processes that lost the server together must not all come back at the same moment
_ASK_AGAIN_SECONDS: Final = 1.0  # while somebody else tries


CircuitObserver = Callable[[str, ModelUnavailable | None], None]
"""Called with a model's id and the failure that opened its circuit, or None when the circuit closes again."""


@dataclass(slots=True)
class Passage:
    """A call that the circuit let pass at ``began``; ``is_probe`` while it is the one that tests a half-open one."""

    began: float
    is_probe: bool


class CircuitBreaker:
    """The circuit of one model. Safe to share between threads and greenlets; no method waits for the server."""

    def __init__(self, model_id: str, rules: CircuitRules, clock: Clock, on_change: CircuitObserver) -> None:
        """``on_change`` is called while the lock is held: it must not call the circuit."""
        self._model_id = model_id
        self._rules = rules
        self._clock = clock
        self._on_change = on_change
        self._lock = Lock()
        self._failures = self._openings = 0
        self._open_until: float | None = None
        self._is_probed = False
        self._alive_at = float("-inf")
        self._cause = ""

    def enter(self) -> Passage:
        """Let a call pass, or raise ``ModelUnavailable`` with ``circuit_open`` and the seconds until the next probe."""
        with self._lock:
            now = self._clock.now()
            if self._open_until is None:
                return Passage(now, is_probe=False)
            self._refuse_while_open(now)
            self._is_probed = True
            return Passage(now, is_probe=True)

    def refuse_while_open(self) -> None:
        """Raise as ``enter`` does while the circuit is open, without letting a call pass."""
        with self._lock:
            if self._open_until is not None:
                self._refuse_while_open(self._clock.now())

    def note_life(self, passage: Passage) -> None:
        """Note that the server sent something for this call. From the probe that is enough to close the circuit."""
        self._alive_at = self._clock.now()
        if passage.is_probe:
            with self._lock:
                self._end_probe(passage)
                # One more failure before a whole answer reopens the circuit, for twice as long.
                self._close(failures=max(self._rules.failures - 1, 0))

    def note_answer(self, passage: Passage) -> None:
        """Note that the call was answered, or failed for a reason that shows that the server works."""
        with self._lock:
            self._alive_at = self._clock.now()
            if passage.is_probe or self._open_until is None:
                self._end_probe(passage)
                self._openings = 0
                self._close(failures=0)

    def note_failure(self, passage: Passage, error: ModelUnavailable) -> None:
        """Note that the call failed through the server's fault."""
        with self._lock:
            was_probe, weight = passage.is_probe, self._weight(passage, error)
            self._end_probe(passage)
            if not weight or (self._open_until is not None and not was_probe):
                return
            self._failures += weight
            if was_probe or self._failures >= self._rules.failures:
                self._open(error)

    def note_end(self, passage: Passage) -> None:
        """Note that the call ended in a way that says nothing about the server."""
        with self._lock:
            self._end_probe(passage)

    def _refuse_while_open(self, now: float) -> None:
        assert self._open_until is not None
        left = self._open_until - now
        if left <= 0 and not self._is_probed:
            return
        seconds = max(left, _ASK_AGAIN_SECONDS)
        raise unavailable("circuit_open", cause=self._cause, model=self._model_id, retry_after_seconds=seconds)

    def _weight(self, passage: Passage, error: ModelUnavailable) -> int:
        """How many failures this one counts for.

        A time-out opens the circuit by itself if no call heard from the server for ``silence_seconds``. Otherwise it
        counts for nothing: the call had less time than that, or the server was busy with other calls.
        """
        if not self._rules.failures:
            return 0
        if error.reason != "timeout":
            return 1
        silent_for = self._clock.now() - max(passage.began, self._alive_at)
        return self._rules.failures if silent_for >= self._rules.silence_seconds else 0

    def _end_probe(self, passage: Passage) -> None:
        if passage.is_probe:
            passage.is_probe = self._is_probed = False

    def _close(self, *, failures: int) -> None:
        self._failures = failures
        if self._open_until is not None:
            self._open_until = None
            self._on_change(self._model_id, None)

    def _open(self, error: ModelUnavailable) -> None:
        longest = min(FIRST_OPEN_SECONDS * 2.0**self._openings, LONGEST_OPEN_SECONDS)
        seconds = longest * random.uniform(_LEAST_SHARE, 1.0)  # noqa: S311  no secret
        self._openings = min(self._openings + 1, 10)
        self._open_until = self._clock.now() + seconds
        self._cause = error.reason
        self._on_change(self._model_id, error)
