"""A circuit breaker for one model of one server: while the server is down, calls fail at once instead of one by one.

Closed, calls pass. After several failures in a row that were the server's fault, or one silence in which it gave nobody
a sign of life, it opens: calls fail with ``circuit_open``. After a while one call may try (half open); an answer closes
the circuit, a failure opens it for twice as long.

No library of the registry does this. pybreaker 1.4 holds its lock for as long as a call lasts, so one at a time is in
flight; circuitbreaker 2.1 and purgatory 3.0 have no lock and let everybody try at once when half open; aiobreaker is of
2021. All of them wrap a function: an answer here is a stream that shows long before its end that the server is back,
and a silence counts by what other calls heard meanwhile.
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
"""Told a model's id and the failure that opened its circuit, or None where it is closed again."""


@dataclass(slots=True)
class Passage:
    """A call that the circuit let pass at ``began``; ``is_probe`` while it tries whether the server is back."""

    began: float
    is_probe: bool


class CircuitBreaker:
    """The circuit of one model. Safe to share between threads and greenlets; it never waits."""

    def __init__(self, model_id: str, rules: CircuitRules, clock: Clock, on_change: CircuitObserver) -> None:
        """``on_change`` is told under the lock: it must not call back."""
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
        """Let a call pass, or raise ``ModelUnavailable`` with ``circuit_open`` and the time until the next trial."""
        with self._lock:
            now = self._clock.now()
            if self._open_until is None:
                return Passage(now, is_probe=False)
            self._refuse_while_open(now)
            self._is_probed = True
            return Passage(now, is_probe=True)

    def refuse_while_open(self) -> None:
        """Raise as ``enter`` does, and let nobody pass."""
        with self._lock:
            if self._open_until is not None:
                self._refuse_while_open(self._clock.now())

    def note_life(self, passage: Passage) -> None:
        """The server sent something for this call. For the call that tries that is enough to let the others follow."""
        self._alive_at = self._clock.now()
        if passage.is_probe:
            with self._lock:
                self._end_probe(passage)
                # On probation: what fails before a whole answer opens it again, for longer.
                self._close(failures=max(self._rules.failures - 1, 0))

    def note_answer(self, passage: Passage) -> None:
        """The call ended as it should, or for a reason that shows the server at work."""
        with self._lock:
            self._alive_at = self._clock.now()
            if passage.is_probe or self._open_until is None:
                self._end_probe(passage)
                self._openings = 0
                self._close(failures=0)

    def note_failure(self, passage: Passage, error: ModelUnavailable) -> None:
        """The call failed through the server's fault."""
        with self._lock:
            was_probe, weight = passage.is_probe, self._weight(passage, error)
            self._end_probe(passage)
            if not weight or (self._open_until is not None and not was_probe):
                return
            self._failures += weight
            if was_probe or self._failures >= self._rules.failures:
                self._open(error)

    def note_end(self, passage: Passage) -> None:
        """The call was given up; it tells nothing about the server."""
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

        A time-out opens the circuit where nobody heard of the server for a whole silence. Otherwise it counts nothing:
        the call had less time than that, or the server is busy with others.
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
