"""Decides when a request may be sent to a model server: circuit breaker, rate limits and a cap on calls in flight.

Every request to a server passes here, retries included. A request that may not be sent yet waits in a queue (a
"line"), first come, first served, as long as a call may take. Requests of turns (a person waits) come before those of
background work, and each of the two has its own number of calls, so background work cannot take what turns need. All
counts are those of this process; a limit of the provider is divided among the processes by ``MODEL_PROCESSES``.

Locks and events of ``threading`` serve both threads in a worker and greenlets in the web server, where gevent replaces
them by its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event, Lock
from types import TracebackType
from typing import Final, Self

from foundation.call_priority import CallPriority, current_priority
from foundation.llm.admission_rules import AdmissionRules
from foundation.llm.circuit_breaker import CircuitBreaker, CircuitObserver, Passage
from foundation.llm.clock import Clock
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import unavailable
from foundation.llm.rate_limits import RateLimit
from foundation.llm.wire_format import CompletionChunk
from foundation.telemetry.metrics import MODEL_RATE_LIMITED, MODEL_WAIT_SECONDS

_SHORTEST_WAIT_SECONDS: Final = 0.001  # a smaller number may be lost to rounding when added to a clock's reading
_PRIORITIES: Final[tuple[CallPriority, ...]] = ("turn", "background")


@dataclass(eq=False, slots=True)
class _Model:
    """What is known of one model: its circuit, its limits, and the tokens of each call in flight by its number."""

    circuit: CircuitBreaker
    limit: RateLimit
    in_flight: dict[int, int] = field(default_factory=dict)


class AdmissionControl:
    """The queue of requests for one server. Safe to share between threads and greenlets."""

    def __init__(self, rules: AdmissionRules, clock: Clock | None = None, on_circuit: CircuitObserver | None = None):
        """``on_circuit`` is called when a model's circuit opens and closes."""
        self.clock = clock or Clock()
        self._rules = rules
        self._on_circuit = on_circuit or (lambda model_id, error: None)
        self._lock = Lock()
        self._models: dict[str, _Model] = {}
        self._lines: dict[CallPriority, list[Admission]] = {priority: [] for priority in _PRIORITIES}
        self._free: dict[CallPriority, int] = {"turn": rules.turn_calls, "background": rules.background_calls}
        self._number = 0

    def enter(self, model_id: str, tokens: int, patience: float) -> Admission:
        """Wait until a request of so many tokens may be sent, at most ``patience`` seconds.

        Raises ``ModelUnavailable`` at once while the circuit is open (``circuit_open``) or where the rate limits allow
        the request only after ``patience`` (``rate_limited``); otherwise after ``patience`` (``busy``).
        """
        model = self._model(model_id)
        model.circuit.refuse_while_open()
        admission = Admission(self, model_id, model, tokens)
        began = self.clock.now()
        try:
            self._stand_in_line(admission, began + patience)
            admission.passage = model.circuit.enter()
        except BaseException:
            self._leave(admission, was_sent=False)
            raise
        MODEL_WAIT_SECONDS.labels(priority=admission.priority).observe(self.clock.now() - began)
        return admission

    def _model(self, model_id: str) -> _Model:
        with self._lock:
            known = self._models.get(model_id)
            if known is None:
                circuit = CircuitBreaker(model_id, self._rules.circuit, self.clock, self._on_circuit)
                known = self._models[model_id] = _Model(circuit, RateLimit(self._rules.rate, self.clock))
            return known

    def _stand_in_line(self, admission: Admission, until: float) -> None:
        with self._lock:
            self._lines[admission.priority].append(admission)
            due = self._admitted_or_due(admission)
        while not admission.is_admitted:
            left = until - self.clock.now()
            if due > left or left <= 0:
                raise self._too_late(admission, due)
            self.clock.wait(admission.called, due or None, left)
            admission.called.clear()
            admission.model.circuit.refuse_while_open()
            with self._lock:
                due = self._admitted_or_due(admission)

    def _admitted_or_due(self, admission: Admission) -> float:
        """Admit all requests that may be sent; return in how many seconds the rate limits may allow this one.

        0 means that no time helps: it is admitted, or waits for another call to end. Admitting and computing the delay
        happen under one lock. If the limit freed up between the two, the delay would be 0 and the request would wait
        for a call instead of asking again.
        """
        self._admit()
        due = 0.0 if admission.is_admitted else admission.model.limit.delay(admission.tokens)
        return max(due, _SHORTEST_WAIT_SECONDS) if due else 0.0

    def _too_late(self, admission: Admission, due: float) -> ModelUnavailable:
        if due:
            return unavailable("rate_limited", model=admission.model_id, retry_after_seconds=due)
        return unavailable("busy", model=admission.model_id)

    def _admit(self) -> None:
        """Admit the requests that may be sent now, in order. One that must wait holds back later ones for its model."""
        held_back: set[int] = set()
        for priority in _PRIORITIES:
            for admission in tuple(self._lines[priority]):
                if self._free[priority] <= 0:
                    break
                if id(admission.model) not in held_back and not self._let_in(admission):
                    held_back.add(id(admission.model))

    def _let_in(self, admission: Admission) -> bool:
        model = admission.model
        if not model.limit.may_have(len(model.in_flight)) or model.limit.delay(admission.tokens) > 0:
            return False
        model.limit.take(admission.tokens)
        self._free[admission.priority] -= 1
        self._number += 1
        self._lines[admission.priority].remove(admission)
        admission.begin(self._number, self.clock.now())
        model.in_flight[admission.number] = admission.tokens
        admission.called.set()
        return True

    def read_limits(self, admission: Admission, headers: Mapping[str, str]) -> None:
        """Note what is left of the server's rate limits, as the headers of an answer say."""
        with self._lock:
            # The server counted without the requests that were sent after this one, so these are taken off besides.
            later = [tokens for number, tokens in admission.model.in_flight.items() if number > admission.number]
            admission.model.limit.read(headers, len(later), sum(later))
            self._admit()
            self._call_waiting()

    def end(self, admission: Admission, error: BaseException | None) -> None:
        """Count how the request ended, and let the next one in."""
        model, passage = admission.model, admission.passage
        assert passage is not None
        if isinstance(error, ModelUnavailable):
            self._note_failure(admission, passage, error)
        elif error is None:
            model.circuit.note_answer(passage)
            with self._lock:
                model.limit.note_answer()
        else:
            model.circuit.note_end(passage)
        self._leave(admission)

    def _note_failure(self, admission: Admission, passage: Passage, error: ModelUnavailable) -> None:
        circuit, limit = admission.model.circuit, admission.model.limit
        if error.reason == "rate_limited":
            MODEL_RATE_LIMITED.labels(model=admission.model_id).inc()
        if not error.is_providers_fault or error.reason == "rate_limited":  # the server is alive
            circuit.note_answer(passage)
        elif admission.is_trial:
            circuit.note_end(passage)
        else:
            circuit.note_failure(passage, error)
        with self._lock:
            limit.note_refusal(error, admission.began, len(admission.model.in_flight))
            self._call_waiting()  # the circuit may be open now: nobody waits for a server that is down

    def _leave(self, admission: Admission, *, was_sent: bool = True) -> None:
        with self._lock:
            if admission.is_admitted:
                self._free[admission.priority] += 1
                counted = admission.model.in_flight.pop(admission.number)
                if not was_sent:
                    admission.model.limit.take_back(counted, admission.began)
                elif admission.used_tokens is not None:
                    admission.model.limit.give_back(counted - admission.used_tokens)
            else:
                self._lines[admission.priority].remove(admission)
            self._admit()
            self._call_waiting()

    def _call_waiting(self) -> None:
        """Wake every waiting request to work out anew how long to wait, since what it waits for may have changed.

        ``_admit`` must not call this: each request that wakes calls ``_admit``, so they would wake each other forever.
        """
        for waiting in (waiting for line in self._lines.values() for waiting in line):
            waiting.called.set()


class Admission:
    """One request, waiting or sent. As a context manager it notes how it ended, ``ModelUnavailable`` included."""

    def __init__(self, control: AdmissionControl, model_id: str, model: _Model, tokens: int) -> None:
        self.model_id = model_id
        self.model = model
        self.tokens = tokens
        self.priority = current_priority()
        self.called = Event()
        self.passage: Passage | None = None
        self.is_trial = False
        """Whether it uses a feature that the server may lack: a 500 may mean only that, so it is no failure."""
        self.number = 0
        self.began = 0.0
        self.used_tokens: int | None = None
        self._control = control

    @property
    def is_admitted(self) -> bool:
        """Whether it may be sent now."""
        return self.number > 0

    def begin(self, number: int, now: float) -> None:
        """Admit it. ``number`` rises by one with each request, so it tells which were sent before it."""
        self.number, self.began = number, now

    def note_headers(self, headers: Mapping[str, str]) -> None:
        """The server answers, with these headers."""
        self._control.read_limits(self, headers)

    def watch(self, events: Iterator[CompletionChunk]) -> Iterator[CompletionChunk]:
        """Pass the answer's events through. Each shows that the server lives; one of them has the token count."""
        assert self.passage is not None
        for event in events:
            self.model.circuit.note_life(self.passage)
            if event.usage:
                self.used_tokens = event.usage.prompt_tokens + event.usage.completion_tokens
            yield event

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._control.end(self, error)
