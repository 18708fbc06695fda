"""A server that limits by 429 is asked no faster than it allows, by all threads of the process together."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Barrier, Condition, Lock

import pytest
from prometheus_client import REGISTRY

from foundation.call_priority import background_calls
from foundation.llm.admission_control import AdmissionControl
from foundation.llm.admission_rules import UNBOUNDED, CircuitRules, RateRules
from foundation.llm.circuit_breaker import CircuitBreaker
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.rate_limits import RateLimit, duration_seconds
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.support.clocks import MovedClock
from tests.support.model_server import Behaviour, Exchange, ModelServer, Refuses, Says

THREADS = 8
MINUTE = 60.0
WAITED = "model_wait_seconds_sum"


@dataclass
class Recorded:
    """Notes when each request came, by the clock of the test."""

    clock: MovedClock
    behaviours: list[Behaviour] = field(default_factory=list)
    default: Behaviour = field(default_factory=Says)
    moments: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = Lock()

    def perform(self, exchange: Exchange) -> None:
        with self._lock:
            self.moments.append(self.clock.now())
            behaviour = self.behaviours.pop(0) if self.behaviours else self.default
        behaviour.perform(exchange)


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def recorded(server: ModelServer, clock: MovedClock) -> Recorded:
    server.default = recorded = Recorded(clock)
    return recorded


def _control(clock: MovedClock, *, requests: int = 0, tokens: int = 0) -> AdmissionControl:
    return AdmissionControl(replace(UNBOUNDED, rate=RateRules(requests, tokens, first_backoff_seconds=0.5)), clock)


def _busiest_minute(moments: list[float]) -> int:
    return max(sum(begin <= moment < begin + MINUTE for moment in moments) for begin in moments)


def test_after_a_429_no_thread_asks_before_the_time_it_names(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.behaviours = [Refuses(429, {"Retry-After": "20"})]
    model = make_model(admissions=_control(clock))
    with pytest.raises(ModelUnavailable):
        model.call(prompt, "big")
    began = clock.now()

    with ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(lambda _: model.call(prompt, "big").text, range(2 * THREADS)))

    assert answers == ["Hello."] * 2 * THREADS
    assert min(recorded.moments[1:]) >= began + 20


def test_a_call_that_could_not_wait_so_long_fails_at_once_and_says_how_long(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.behaviours = [Refuses(429, {"Retry-After": "600"})]
    model = make_model(admissions=_control(clock))
    failures = []
    for _ in range(3):
        with pytest.raises(ModelUnavailable) as failure:
            model.call(prompt, "big")
        failures.append(failure.value)
        clock.sleep(100)

    assert [error.reason for error in failures] == ["rate_limited"] * 3
    assert [error.retry_after for error in failures] == [600, 500, 400]
    assert len(recorded.moments) == 1
    assert model.call(prompt, "small").text == "Hello."  # another model has limits of its own


def test_a_person_in_a_turn_waits_no_longer_than_for_a_silent_server(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.behaviours = [Refuses(429, {"Retry-After": "20"})]
    model = make_model(timeout=60, silence=15, admissions=_control(clock))
    for _ in range(2):
        with pytest.raises(ModelUnavailable) as failure:
            model.call(prompt, "big")
        assert failure.value.reason == "rate_limited"
    assert len(recorded.moments) == 1

    with background_calls():  # nobody waits for it
        assert model.call(prompt, "big").text == "Hello."


def test_the_metrics_count_refusals_and_the_time_in_line(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.behaviours = [Refuses(429, {"Retry-After": "20"})]
    refused, waited = (_metric("model_rate_limited_total", model="big"), _metric(WAITED, priority="turn"))

    with pytest.raises(ModelUnavailable):
        make_model(admissions=(control := _control(clock))).call(prompt, "big")
    make_model(admissions=control).call(prompt, "big")

    assert _metric("model_rate_limited_total", model="big") == refused + 1
    assert _metric(WAITED, priority="turn") >= waited + 20


def _metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_a_429_that_names_no_time_is_waited_for_longer_each_time(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.behaviours = [Refuses(429)] * 4
    model = make_model(admissions=_control(clock))
    for _ in range(4):
        with pytest.raises(ModelUnavailable):
            model.call(prompt, "big")
    model.call(prompt, "big")

    waits = [after - before for before, after in zip(recorded.moments, recorded.moments[1:], strict=False)]
    for wait, shortest in zip(waits, (0.5, 1, 2, 4), strict=True):
        assert shortest <= wait <= 1.25 * shortest


def test_a_server_in_trouble_that_names_a_time_is_left_alone_as_well(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.behaviours = [Refuses(503, {"Retry-After": "12"})]
    model = make_model(retries=1, admissions=_control(clock))

    assert model.call(prompt, "big").text == "Hello."
    assert recorded.moments[1] - recorded.moments[0] >= 12


@dataclass
class CountsCalls:
    """Refuses the first ones with 429 once ``refused`` are there together; notes how many are answered at a time."""

    refused: int
    most: int = 0
    now: int = 0
    met: int = 0

    def __post_init__(self) -> None:
        self._together = Barrier(self.refused, timeout=30)
        self._changed = Condition()

    def perform(self, exchange: Exchange) -> None:
        with self._changed:
            self.met += 1
            is_refused = self.met <= self.refused
        if is_refused:
            self._together.wait()
            Refuses(429, {"Retry-After": "1"}).perform(exchange)
            return
        with self._changed:
            self.now += 1
            self.most = max(self.most, self.now)
            self._changed.wait(0.05)
            self.now -= 1
        Says().perform(exchange)


def test_after_a_429_fewer_are_in_flight(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    server.default = counts = CountsCalls(THREADS)
    model = make_model(retries=1, admissions=_control(clock))

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(lambda _: model.call(prompt, "big"), range(THREADS)))

    assert counts.met == 2 * THREADS
    assert counts.most < THREADS


def _moments(control: AdmissionControl, tokens: int, requests: int) -> list[float]:
    """When each of so many requests might be sent, asked for by several threads."""

    def ask(_number: int) -> float:
        with control.enter("big", tokens, patience=100_000) as admission:
            return admission.began

    with ThreadPoolExecutor(THREADS) as threads:
        return sorted(threads.map(ask, range(requests)))


@pytest.mark.parametrize("per_minute", [1, 4, 12, 60])
def test_no_minute_holds_more_requests_than_the_setting(clock: MovedClock, per_minute: int) -> None:
    moments = _moments(_control(clock, requests=per_minute), 500, 3 * per_minute)

    assert _busiest_minute(moments) <= per_minute
    assert moments[-1] - moments[0] <= 4 * MINUTE  # and it is used


def test_no_minute_holds_more_tokens_than_the_setting(clock: MovedClock) -> None:
    moments = _moments(_control(clock, tokens=6_000), 500, 36)

    assert _busiest_minute(moments) * 500 <= 6_000
    assert moments[-1] - moments[0] <= 4 * MINUTE


def test_what_an_answer_did_not_use_may_be_asked_for(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    recorded.default = Says(prompt_tokens=10, completion_tokens=5)
    model = make_model(timeout=100_000, admissions=_control(clock, tokens=6_000))

    for _ in range(50):  # each is counted for 500 of answer while it is in flight
        model.call(prompt, "big")

    assert recorded.moments[-1] - recorded.moments[0] < 5


@dataclass
class Window:
    """A provider that counts in windows of a minute, and tells in every answer what is left of this one."""

    per_window: int
    began: float = 0.0
    asked: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self._lock = Lock()

    def ask(self, moment: float) -> Mapping[str, str]:
        with self._lock:
            if moment >= self.began + MINUTE:
                self.began, self.asked = moment, 0
            self.asked += 1
            left = self.per_window - self.asked
            self.refused += left < 0
        told = {"remaining-requests": str(max(left, 0)), "reset-requests": f"{self.began + MINUTE - moment:.3f}s"}
        return {f"x-ratelimit-{name}": value for name, value in told.items()}


def test_a_server_that_tells_what_is_left_need_not_refuse(clock: MovedClock) -> None:
    control, window = _control(clock), Window(per_window=20)

    def ask(_number: int = 0) -> None:
        with control.enter("big", 500, patience=100_000) as admission:
            admission.note_headers(window.ask(admission.began))

    ask()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(ask, range(70)))

    assert window.refused == 0
    assert clock.now() - window.began < MINUTE


def test_the_headers_of_answers_are_read(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    told = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "17s"}
    recorded.behaviours = [_Tells(told)]
    model = make_model(admissions=_control(clock))

    model.call(prompt, "big")
    model.call(prompt, "big")

    assert recorded.moments[1] - recorded.moments[0] >= 17


ANSWER = '{"choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}]}'


def test_tokens_that_are_left_are_kept_to_as_well(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock
) -> None:
    told = {"x-ratelimit-remaining-tokens": "400", "x-ratelimit-reset-tokens": "6s"}  # an answer may have 500
    recorded.behaviours = [_Tells(told)]
    model = make_model(admissions=_control(clock))

    model.call(prompt, "big")
    model.call(prompt, "big")

    assert recorded.moments[1] - recorded.moments[0] >= 6


@dataclass(frozen=True)
class _Tells:
    headers: Mapping[str, str]

    def perform(self, exchange: Exchange) -> None:
        exchange.send(ANSWER, headers=self.headers)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m0s", 360), ("1.5s", 1.5), ("20ms", 0.02), ("1h2m3s", 3723), ("12", 12), ("0.25", 0.25), ("1d", 86_400),
        ("", None), ("soon", None), ("-5s", None), ("5x", None), ("1" * 500, None), ("²s", None),
    ],
)  # fmt: skip
def test_durations_are_read_as_providers_write_them(text: str, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


def test_a_call_that_the_circuit_refused_uses_nothing_up(
    recorded: Recorded, make_model: ModelMaker, prompt: Prompt, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CircuitBreaker, "refuse_while_open", lambda _: None)  # as if it opened a moment later
    recorded.behaviours = [Refuses(503)]
    rules = replace(UNBOUNDED, rate=RateRules(60, 60_000, first_backoff_seconds=0.5), circuit=CircuitRules(1, 1.0))
    model = make_model(admissions=AdmissionControl(rules, clock))
    began, reasons = clock.now(), []
    for _ in range(30):
        with pytest.raises(ModelUnavailable) as failure:
            model.call(prompt, "big")
        reasons.append(failure.value.reason)

    assert reasons == ["server_error", *["circuit_open"] * 29]
    assert clock.now() == began


def test_what_was_not_asked_for_after_all_is_still_there_unless_the_server_says_less(clock: MovedClock) -> None:
    limit = RateLimit(UNBOUNDED.rate, clock)
    stated = {"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "60s"}
    limit.read(stated, 0, 0)
    clock.sleep(1)
    limit.take(10)
    assert limit.delay(10) == 59

    limit.take_back(10, clock.now())
    assert limit.delay(10) == 0

    taken_at = clock.now()
    limit.take(10)
    clock.sleep(1)
    limit.read(stated | {"x-ratelimit-remaining-requests": "0"}, 0, 0)
    limit.take_back(10, taken_at)
    assert limit.delay(10) == 60
