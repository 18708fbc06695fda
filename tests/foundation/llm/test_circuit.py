"""A server that is down is not asked by everybody who comes, and one call at a time finds out when it is back."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace

import pytest

from foundation.llm.admission_control import AdmissionControl
from foundation.llm.admission_rules import UNBOUNDED, CircuitRules
from foundation.llm.circuit_breaker import CircuitBreaker
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import unavailable
from foundation.llm.openai_compatible import OpenAICompatibleModel
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.foundation.llm.test_streaming import drained
from tests.support.clocks import MovedClock
from tests.support.model_server import (
    MALFORMED,
    Behaviour,
    Drops,
    Exchange,
    Hangs,
    KnowsFormats,
    ModelServer,
    Refuses,
    Says,
    SaysInTwoBreaths,
    SendsBody,
    Stalls,
)

FAILURES = 3
SILENCE = 0.2
CIRCUIT = replace(UNBOUNDED, circuit=CircuitRules(FAILURES, SILENCE))
CIRCUIT_OPEN = "circuit_open"


@dataclass
class Guarded:
    """A model behind a circuit, the clock of it, and what a call of it ended in."""

    model: OpenAICompatibleModel
    prompt: Prompt
    clock: MovedClock
    changes: list[str]

    def ask(self, model_id: str = "big") -> str:
        """ "" for an answer, else the reason why there was none."""
        try:
            self.model.call(self.prompt, model_id)
        except ModelUnavailable as error:
            return error.reason
        return ""

    def refusal(self) -> ModelUnavailable:
        with pytest.raises(ModelUnavailable) as failure:
            self.model.call(self.prompt, "big")
        assert failure.value.reason == CIRCUIT_OPEN
        return failure.value


@pytest.fixture
def guarded(make_model: ModelMaker, prompt: Prompt) -> Guarded:
    clock, changes = MovedClock(), list[str]()
    control = AdmissionControl(CIRCUIT, clock, lambda model_id, error: changes.append(error.reason if error else ""))
    return Guarded(make_model(admissions=control), prompt, clock, changes)


def _open(guarded: Guarded, server: ModelServer) -> None:
    server.script([Refuses(503)] * FAILURES)
    assert [guarded.ask() for _ in range(FAILURES)] == ["server_error"] * FAILURES


@pytest.mark.parametrize(
    "failure", [Drops(), *map(Refuses, (500, 502, 503, 408, 401, 402, 403, 404))], ids=str
)  # fmt: skip
def test_after_failures_of_the_server_in_a_row_it_is_not_asked(
    server: ModelServer, guarded: Guarded, failure: Behaviour
) -> None:
    server.default = failure

    reasons = [guarded.ask() for _ in range(FAILURES + 4)]

    assert CIRCUIT_OPEN not in reasons[:FAILURES]
    assert reasons[FAILURES:] == [CIRCUIT_OPEN] * 4
    assert len(server.requests) == FAILURES
    refusal = guarded.refusal()
    assert refusal.details["cause"] == reasons[0] == guarded.changes[0]
    assert refusal.details["model"] == "big"
    assert refusal.is_providers_fault
    assert 0 < (refusal.retry_after_seconds or 0) <= 5


def test_one_that_nobody_listens_for_is_not_asked_either(
    guarded: Guarded, make_model: ModelMaker, prompt: Prompt, free_tcp_port: int
) -> None:
    model = make_model(base_url=f"http://127.0.0.1:{free_tcp_port}/v1", admissions=AdmissionControl(CIRCUIT))
    guarded.model = model

    assert [guarded.ask() for _ in range(FAILURES + 1)] == ["unreachable"] * FAILURES + [CIRCUIT_OPEN]


@pytest.mark.parametrize(
    "failure",
    [Refuses(400), Refuses(422), Refuses(413), MALFORMED, Says(("",)), SendsBody("", "text/event-stream")],
    ids=str,
)
def test_what_one_request_brought_about_never_opens_it(
    server: ModelServer, guarded: Guarded, failure: Behaviour
) -> None:
    server.default = failure

    assert CIRCUIT_OPEN not in [guarded.ask() for _ in range(4 * FAILURES)]
    assert not guarded.changes


def test_an_answer_between_failures_begins_the_count_anew(server: ModelServer, guarded: Guarded) -> None:
    server.script([*[Refuses(500)] * (FAILURES - 1), Says(), *[Refuses(500)] * (FAILURES - 1), Says()])

    assert CIRCUIT_OPEN not in [guarded.ask() for _ in range(2 * FAILURES)]


@pytest.mark.parametrize("behaviour", [Hangs(), Stalls(), Stalls(("In ",))], ids=str)
@pytest.mark.parametrize("streaming", [False, True])
def test_a_server_that_hangs_costs_one_silence(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour, streaming: bool
) -> None:
    server.default = behaviour
    model = make_model(timeout=600.0, silence=SILENCE, retries=2, admissions=AdmissionControl(CIRCUIT))

    reasons = []
    for _ in range(3):
        with pytest.raises(ModelUnavailable) as failure:
            drained(model.stream(prompt, "big")) if streaming else model.call(prompt, "big")
        reasons.append(failure.value.reason)

    assert reasons == ["timeout", CIRCUIT_OPEN, CIRCUIT_OPEN]
    assert len(server.requests) == 1


@dataclass
class Circuit:
    """A circuit by itself, on a clock of the test."""

    clock: MovedClock = field(default_factory=MovedClock)

    def __post_init__(self) -> None:
        rules = CircuitRules(FAILURES, silence_seconds=15.0)
        self.breaker = CircuitBreaker("big", rules, self.clock, lambda model_id, error: None)

    def is_open(self) -> bool:
        try:
            self.breaker.refuse_while_open()
        except ModelUnavailable:
            return True
        return False


def test_a_silence_while_others_are_answered_is_not_the_servers() -> None:
    circuit = Circuit()
    silent, answered = circuit.breaker.enter(), circuit.breaker.enter()
    circuit.clock.sleep(10)
    circuit.breaker.note_life(answered)
    circuit.clock.sleep(5)

    circuit.breaker.note_failure(silent, unavailable("timeout"))

    assert not circuit.is_open()


def test_a_call_that_had_less_time_than_a_silence_blames_nobody() -> None:
    circuit = Circuit()
    for _ in range(4 * FAILURES):
        hurried = circuit.breaker.enter()
        circuit.clock.sleep(0.7)
        circuit.breaker.note_failure(hurried, unavailable("timeout"))

    assert not circuit.is_open()


def test_each_model_of_a_server_has_its_own(server: ModelServer, guarded: Guarded) -> None:
    _open(guarded, server)

    assert guarded.ask("small") == ""
    assert guarded.ask("big") == CIRCUIT_OPEN


@dataclass
class Held:
    """Answers once the test says so."""

    arrived: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def perform(self, exchange: Exchange) -> None:
        self.arrived.set()
        self.go_on.wait(30)
        Says().perform(exchange)


def test_one_call_at_a_time_tries_whether_it_is_back(server: ModelServer, guarded: Guarded) -> None:
    _open(guarded, server)
    guarded.clock.sleep(5)
    held = Held()
    server.script([held])

    with ThreadPoolExecutor(9) as threads:
        tries = threads.submit(guarded.ask)
        assert held.arrived.wait(30)
        others = list(threads.map(lambda _: guarded.ask(), range(8)))
        held.go_on.set()
        answer = tries.result()

    assert others == [CIRCUIT_OPEN] * 8
    assert answer == ""
    assert len(server.requests) == FAILURES + 1
    assert guarded.ask() == ""
    assert guarded.changes == ["server_error", ""]


def test_many_who_come_when_the_time_is_up_send_one_request(server: ModelServer, guarded: Guarded) -> None:
    _open(guarded, server)
    guarded.clock.sleep(5)
    server.default = held = Held()

    with ThreadPoolExecutor(12) as threads:
        ended = as_completed([threads.submit(guarded.ask) for _ in range(12)])
        assert [next(ended).result() for _ in range(11)] == [CIRCUIT_OPEN] * 11
        assert held.arrived.wait(30)
        assert len(server.requests) == FAILURES + 1
        held.go_on.set()
        assert next(ended).result() == ""


def test_the_first_words_of_that_call_let_the_others_follow(server: ModelServer, guarded: Guarded) -> None:
    _open(guarded, server)
    guarded.clock.sleep(5)
    breaths = SaysInTwoBreaths()
    server.script([breaths])

    stream = guarded.model.stream(guarded.prompt, "big")
    assert next(stream) == "Bonds "
    assert guarded.ask() == ""
    breaths.go_on.set()
    assert drained(stream)[1].text == "Bonds fell."


def test_a_call_that_begins_and_breaks_off_opens_it_again(server: ModelServer, guarded: Guarded) -> None:
    _open(guarded, server)
    guarded.clock.sleep(5)
    server.script([Drops(("In ",))])

    assert guarded.ask() not in ("", CIRCUIT_OPEN)
    assert guarded.ask() == CIRCUIT_OPEN


def test_each_failed_try_doubles_the_time_up_to_a_minute(server: ModelServer, guarded: Guarded) -> None:
    server.default = Refuses(503)
    for _ in range(FAILURES):
        guarded.ask()

    told = []
    for _ in range(7):
        told.append(guarded.refusal().retry_after_seconds or 0.0)
        guarded.clock.sleep(told[-1])
        assert guarded.ask() == "server_error"

    for seconds, longest in zip(told, (5, 10, 20, 40, 60, 60, 60), strict=True):
        assert 0.75 * longest <= seconds <= longest
    assert len(set(told)) == len(told)  # processes that lost the server together do not come back together
    assert len(server.requests) == FAILURES + 7


def test_after_an_answer_the_next_failure_costs_little_again(server: ModelServer, guarded: Guarded) -> None:
    _open(guarded, server)
    for _ in range(3):
        server.script([Refuses(503)])
        guarded.clock.sleep(60)
        guarded.ask()
    guarded.clock.sleep(60)
    assert guarded.ask() == ""

    _open(guarded, server)

    assert (guarded.refusal().retry_after_seconds or 0.0) <= 5


def test_a_trying_call_that_is_given_up_lets_another_try() -> None:
    circuit = Circuit()
    for _ in range(FAILURES):
        circuit.breaker.note_failure(circuit.breaker.enter(), unavailable("unreachable"))
    circuit.clock.sleep(5)
    trying = circuit.breaker.enter()
    assert circuit.is_open()

    circuit.breaker.note_end(trying)

    assert circuit.breaker.enter().is_probe


def test_a_format_that_a_server_does_not_know_is_no_failure(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.default = KnowsFormats(frozenset(), Says(("{}",)), status=500)
    model = make_model(admissions=AdmissionControl(replace(CIRCUIT, circuit=CircuitRules(1, SILENCE))))

    assert model.call(prompt, "big", schema={"type": "object"}).text == "{}"
