"""How many calls of a model one process has in flight, and that background work takes none from the turns."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Semaphore

import pytest
from pytest_django import Settings

from foundation.call_priority import background_calls
from foundation.llm import configured_model
from foundation.llm.admission_control import AdmissionControl
from foundation.llm.admission_rules import UNBOUNDED, RateRules
from foundation.llm.clock import Clock
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import unavailable
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.support.clocks import MovedClock
from tests.support.model_server import Exchange, ModelServer, Says

BOUND = replace(UNBOUNDED, turn_calls=3, background_calls=2)


@dataclass
class Counted:
    """Answers each request when the test lets one go; counts how many are there together."""

    arrived: Semaphore = field(default_factory=lambda: Semaphore(0))
    let_go: Semaphore = field(default_factory=lambda: Semaphore(0))
    now: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        self._lock = Lock()

    def perform(self, exchange: Exchange) -> None:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.arrived.release()
        self.let_go.acquire(timeout=30)
        with self._lock:
            self.now -= 1
        Says().perform(exchange)


@contextmanager
def _finishing(counted: Counted, calls: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(calls) as threads:
        yield threads
        counted.let_go.release(calls)


@pytest.mark.parametrize(("is_background", "bound"), [(False, 3), (True, 2)])
def test_no_more_calls_are_in_flight_than_the_bound(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, is_background: bool, bound: int
) -> None:
    server.default = counted = Counted()
    model = make_model(admissions=AdmissionControl(BOUND))

    def ask() -> str:
        with background_calls() if is_background else nullcontext():
            return model.call(prompt, "big").text

    with _finishing(counted, 8) as threads:
        answers = [threads.submit(ask) for _ in range(8)]
        for _ in range(bound):
            assert counted.arrived.acquire(timeout=30)

    assert [answer.result() for answer in answers] == ["Hello."] * 8
    assert counted.most == bound


def test_background_work_at_its_bound_takes_nothing_from_turns(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    counted = Counted()
    server.script([counted] * 2)
    model = make_model(admissions=AdmissionControl(BOUND))

    def work() -> str:
        with background_calls():
            return model.call(prompt, "big").text

    with _finishing(counted, 6) as threads:
        for _ in range(6):
            threads.submit(work)
        for _ in range(2):
            assert counted.arrived.acquire(timeout=30)

        assert [model.call(prompt, "big").text for _ in range(4)] == ["Hello."] * 4


class _Waits(Clock):
    """Tells when somebody begins to wait."""

    def __init__(self) -> None:
        self.waiting = Semaphore(0)

    def wait(self, called: Event, due: float | None, at_most: float) -> None:
        self.waiting.release()
        super().wait(called, due, at_most)


def test_who_came_first_is_let_in_first() -> None:
    clock, order = _Waits(), list[int]()
    control = AdmissionControl(replace(UNBOUNDED, turn_calls=1), clock)

    def ask(number: int) -> None:
        with control.enter("big", 1, 30.0):
            order.append(number)

    with ThreadPoolExecutor(5) as threads, control.enter("big", 1, 30.0):
        for number in range(5):
            threads.submit(ask, number)
            assert clock.waiting.acquire(timeout=30)

    assert order == [0, 1, 2, 3, 4]


class _Notices(MovedClock):
    """A moved clock that tells when somebody begins to wait for another call."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = Semaphore(0)

    def wait(self, called: Event, due: float | None, at_most: float) -> None:
        if due is None:
            self.waiting.release()
        super().wait(called, due, at_most)


@pytest.mark.parametrize(
    ("per_minute", "told", "seconds"),
    [
        (0, {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s"}, 2),
        (12, {}, 5),  # two at once, then one in five seconds or so: the second who waits finds none left
    ],
)
def test_who_waits_for_a_call_that_ends_at_a_limit_waits_for_the_limit_then(
    per_minute: int, told: dict[str, str], seconds: float
) -> None:
    clock = _Notices()
    rules = replace(UNBOUNDED, rate=RateRules(per_minute, 0, first_backoff_seconds=0.5))
    control = AdmissionControl(rules, clock)
    with pytest.raises(ModelUnavailable), control.enter("big", 1, 15.0):
        raise unavailable("rate_limited", retry_after_seconds=60)  # one at a time from now on
    clock.sleep(60)
    began = clock.now()

    def ask() -> float:
        with control.enter("big", 1, 15.0) as admission:
            return admission.began - began

    with ThreadPoolExecutor(2) as threads:
        with control.enter("big", 1, 15.0) as first:
            answers = [threads.submit(ask) for _ in range(2)]
            assert all(clock.waiting.acquire(timeout=30) for _ in answers)
            first.note_headers(told)

        assert seconds <= max(answer.result() for answer in answers) <= seconds + 2


def test_a_call_that_no_place_came_free_for_says_busy() -> None:
    control = AdmissionControl(replace(UNBOUNDED, turn_calls=1))
    with control.enter("big", 1, 30.0):
        with pytest.raises(ModelUnavailable) as failure:
            control.enter("big", 1, 0.01)
        assert failure.value.reason == "busy"
        assert failure.value.is_providers_fault  # nobody was asked: it says nothing against the text

    control.enter("big", 1, 0.01).__exit__(None, None, None)  # who gave up left no place taken


@pytest.mark.parametrize("how", ["answered", "abandoned", "failed"])
def test_every_end_of_a_stream_frees_its_place(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, how: str
) -> None:
    model = make_model(timeout=5, admissions=AdmissionControl(replace(UNBOUNDED, turn_calls=1)))
    for _ in range(3):
        stream = model.stream(prompt, "big")
        next(stream)
        if how == "abandoned":
            stream.close()
        elif how == "failed":
            with pytest.raises(RuntimeError):
                stream.throw(RuntimeError("the reader fell"))
        else:
            list(stream)

    assert len(server.requests) == 3


@pytest.mark.parametrize(("setting", "is_background"), [("MODEL_TURN_CONCURRENCY", False), ("MODEL_CONCURRENCY", True)])
def test_the_settings_bound_a_process(
    server: ModelServer, prompt: Prompt, settings: Settings, setting: str, is_background: bool
) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.base_url, "k"
    setattr(settings, setting, 1)
    server.default = counted = Counted()

    def ask() -> str:
        with background_calls() if is_background else nullcontext():
            return configured_model(None).call(prompt, "big", kind="answer").text

    with _finishing(counted, 4) as threads:
        answers = [threads.submit(ask) for _ in range(4)]
        assert counted.arrived.acquire(timeout=30)

    assert [answer.result() for answer in answers] == ["Hello."] * 4
    assert counted.most == 1
