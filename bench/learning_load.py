"""Learning with a model that takes its time, is down for an hour, or limits who asks it.

    python -m bench.learning_load --messages 600 --jobs 5000

Throughput: one real worker with a stub of ``--seconds``, messages learned a minute (indexed, learned from by the rules,
and read by the model). An outage: in the middle of ``--jobs`` jobs the stub is down for an hour, simulated minute by
minute; then the time until all are done. Limits: a stub that answers 429 to more than ``--a-second`` requests a second.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench.report import publish
from bench.runner import measured_database, parse_arguments, require_none

if TYPE_CHECKING:
    from bench.stub_model import StubModel

CHATS = 250
MINUTES_DOWN = 60
MESSAGES_A_MINUTE = 600
MOST_MINUTES_AFTER = 10.0
QUICK_SECONDS = 0.05  # of an answer where nothing is measured
TOPICS = ("memory.observe", "memory.amend")
Figures = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Load:
    """How much is learned, and how the stub answers."""

    messages: int
    jobs: int
    seconds: float
    a_second: int
    limited_jobs: int


@contextmanager
def _stub(stub: StubModel) -> Iterator[str]:
    from tests.support.model_server import ModelServer

    with ModelServer(default=stub) as server:
        yield server.base_url


def measure_throughput(database: str, load: Load) -> dict[str, float]:
    """Messages a minute through one worker, from the first that is done to the last that the model has read."""
    from bench.cpu import CpuMeter
    from bench.evolution_throughput import statements
    from bench.qcluster import qcluster
    from bench.stub_model import StubModel

    _talk(islice(statements(), load.messages), CHATS)
    stub = StubModel(load.seconds)
    with _stub(stub) as url, qcluster(database, workers=1, **_settings(url)) as cluster:
        meter = CpuMeter(cluster)
        _work_until(lambda: _count(state="done", topic=TOPICS[0]) > 0)
        already, began, spent = _count(state="done", topic=TOPICS[0]), time.monotonic(), meter.seconds
        _work_until(lambda: _count(state="done", topic=TOPICS[0]) == load.messages and not _unfinished(), meter)
        seconds, spent = time.monotonic() - began, meter.seconds - spent
    timed = load.messages - already
    return {
        "messages": load.messages,
        "messages a minute": round(timed / seconds * 60),
        "cpu ms a message": round(1000 * spent / timed, 1),
        "calls": stub.answered,
        "most in flight": stub.most_in_flight,
        "failed": _count(state="failed"),
    }


def measure_outage(load: Load) -> dict[str, float]:
    """What an hour without the provider does to jobs that need it, in this process; its minutes pass at once."""
    from django.test import override_settings

    from bench.stub_model import StubModel
    from foundation.outbox.tasks import drain, sweep

    _queue_readings(load.jobs)
    stub = StubModel(QUICK_SECONDS, answers_until_down=load.jobs // 2)
    with _stub(stub) as url, override_settings(**_settings(url), MODEL_CONCURRENCY=32, OUTBOX_LINGER_SECONDS=0.0):
        while not stub.is_down:
            drain()
        for minute in range(1, MINUTES_DOWN + 1):
            with _later(timedelta(minutes=minute)):
                sweep()
        done, used_up = _count(state="done"), _count(state="failed")
        stub.seconds, stub.is_down = load.seconds, False
        with _later(timedelta(minutes=MINUTES_DOWN)):
            back = time.perf_counter()
            _sweep_until_idle()
            seconds = time.perf_counter() - back
    return {
        "jobs": load.jobs,
        "done before it was back": done,
        "dead letters then": used_up,
        "asked while down": stub.asked_while_down,
        "minutes until all were done": round(seconds / 60, 1),
        "dead letters": _count(state="failed"),
        "done": _count(state="done"),
    }


@contextmanager
def _later(by: timedelta) -> Iterator[None]:
    """Both clocks, of the day and of this machine, go on from so much later."""
    import time_machine
    from django.utils import timezone

    monotonic = time.monotonic
    with (
        patch.object(time, "monotonic", lambda: monotonic() + by.total_seconds()),
        time_machine.travel(timezone.now() + by),
    ):
        yield


def measure_limits(load: Load) -> dict[str, float]:
    """How a provider is asked that answers 429 to more than so many requests a second."""
    from django.test import override_settings

    from bench.stub_model import StubModel

    _queue_readings(load.limited_jobs)
    stub = StubModel(QUICK_SECONDS, most_a_second=load.a_second)
    with _stub(stub) as url, override_settings(**_settings(url), MODEL_CONCURRENCY=32, OUTBOX_LINGER_SECONDS=0.0):
        began = time.monotonic()
        _sweep_until_idle()
        seconds = time.monotonic() - began
    return {
        "jobs": load.limited_jobs,
        "answers a second": round(stub.answered / seconds, 1),
        "answered 429": stub.refused,
        "asked before the time told": stub.asked_too_soon,
        "dead letters": _count(state="failed"),
        "done": _count(state="done"),
    }


def _settings(url: str) -> dict[str, str]:
    return {
        "BENCH_HANDLERS": "finclaw.jobs.HANDLERS",
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "none",
        "MODEL_LARGE": "large",
        "MODEL_SMALL": "small",
    }


def _talk(texts: Iterator[str], chats: int) -> None:
    """What people say, each in a chat of their own, queued and not yet worked on."""
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.learning.services import observe
    from memory.services.sessions import record_messages
    from memory.types import NewMessage

    for (person, session), text in zip(cycle(_people(chats)), texts, strict=False):
        with acting_as(person.pk):
            permit = permit_for(person)
            said = NewMessage.of_text("user", text, person.name)
            observe(permit, record_messages(permit, session, [said]), wake=False)


def _queue_readings(jobs: int) -> None:
    """Jobs that a model is asked in, each about a message of its own."""
    from django.test import override_settings

    from bench.evolution_throughput import statements
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from foundation.outbox.models import Priority
    from memory.learning.model_amendment import queue_messages
    from memory.services.sessions import record_messages
    from memory.types import NewMessage

    _clear()
    for (person, session), text in zip(cycle(_people(CHATS)), islice(statements(), jobs), strict=False):
        with acting_as(person.pk), override_settings(LEARNING_MODEL_WAIT_SECONDS=0.0):
            said = NewMessage.of_text("user", text, person.name)
            events = record_messages(permit_for(person), session, [said])
            queue_messages(person.pk, session.pk, [str(event.pk) for event in events], Priority.NORMAL)


def _people(chats: int) -> list[Any]:
    from bench.people import somebody
    from consent.services import permit_for
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    known = User.objects.count()
    people = [somebody(f"talker-{known + number}")[0] for number in range(chats)]
    sessions = []
    for person in people:
        with acting_as(person.pk):
            sessions.append(start_session(permit_for(person), person))
    return list(zip(people, sessions, strict=True))


def _work_until(is_done: Any, meter: Any = None) -> None:
    from foundation.outbox.worker_wakeup import wake_worker

    while not is_done():
        wake_worker()
        time.sleep(0.2)
        if meter is not None:
            meter.look()


def _sweep_until_idle() -> None:
    from foundation.outbox.tasks import sweep

    while _unfinished():
        sweep()
        time.sleep(0.5)


def _unfinished() -> int:
    return _count(state__in=("pending", "processing"), topic__in=TOPICS)


def _count(**which: object) -> int:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.filter(**which).count()


def _clear() -> None:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):
        OutboxMessage.objects.all().delete()


def _missed(figures: Figures) -> Iterator[str]:
    if figures["throughput"]["messages a minute"] < MESSAGES_A_MINUTE:
        yield "throughput"
    if figures["an hour down"]["minutes until all were done"] > MOST_MINUTES_AFTER:
        yield "an hour down"
    if any(row.get("dead letters", 0) or row.get("failed", 0) for row in figures.values()):
        yield "dead letters"
    if figures["limits"]["asked before the time told"]:
        yield "limits"


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a limit is missed."""
    arguments = parse_arguments(
        __doc__,
        messages=600,
        jobs=5_000,
        seconds=(2.0, "until the stub has answered"),
        a_second=(5, "requests a second that the limited stub answers"),
        limited_jobs=100,
    )
    load = Load(**vars(arguments))
    with measured_database() as database:
        figures: Figures = {"throughput": measure_throughput(database, load)}
        figures["an hour down"] = measure_outage(load)
        figures["limits"] = measure_limits(load)
    rows = {f"{part}: {name}": {"": value} for part, row in figures.items() for name, value in row.items()}
    publish("learning_load", "Learning with a slow model", rows)
    require_none(_missed(figures))


if __name__ == "__main__":
    main()
