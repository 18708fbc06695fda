"""Redis wakes workers where it is configured; the work stays in PostgreSQL, which wakes them when Redis is away."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.db import transaction
from django_q.models import OrmQ
from django_q.signing import SignedPackage
from pytest_django import Settings

from foundation.outbox import redis_wakeups, services
from foundation.outbox.redis_broker import RedisBroker
from foundation.outbox.redis_wakeups import RedisAway, RedisWakeups
from foundation.outbox.schedules import DRAIN
from foundation.outbox.worker_wakeup import DRAINS, wake_worker

PATIENCE_SECONDS = 20.0


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    """Debian's Redis at a socket, which keeps nothing."""
    program = shutil.which("redis-server")
    assert program, "redis-server is not here: .ci/system-packages installs it on Debian"
    with TemporaryDirectory(prefix="finclaw-redis-") as folder:
        address = Path(folder, "redis.sock")
        options = ("--port", "0", "--unixsocket", str(address), "--save", "", "--dir", folder)
        with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as server:
            until = time.monotonic() + PATIENCE_SECONDS
            while not address.exists():
                assert time.monotonic() < until, "Redis does not start"
                time.sleep(0.01)
            yield f"unix://{address}"
            server.terminate()


@pytest.fixture
def wakeups(redis_url: str, settings: Settings) -> RedisWakeups:
    """Those of the Redis that the settings name; none is waiting."""
    settings.REDIS_URL = redis_url
    found = RedisWakeups(redis_url)
    found._client.flushall()
    return found


@pytest.fixture
def away(settings: Settings, tmp_path: Path) -> None:
    """The settings name a Redis that is not there."""
    settings.REDIS_URL = f"unix://{tmp_path}/nobody.sock"


@pytest.mark.django_db
@pytest.mark.usefixtures("wakeups")
def test_a_wake_up_becomes_one_drain_however_often_it_was_asked_for() -> None:
    wake_worker()
    wake_worker()
    broker = RedisBroker()
    broker._next_look = float("inf")  # only Redis
    ((row, task),) = broker.dequeue()

    assert (row, SignedPackage.loads(task)["func"]) == (0, DRAIN)
    assert not SignedPackage.loads(task)["args"]
    assert broker.dequeue() == []
    assert not OrmQ.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_work_wakes_with_its_commit_and_not_before(wakeups: RedisWakeups) -> None:
    with transaction.atomic():
        services.enqueue("alerts.send", user_id=None, payload={})
        assert not wakeups._client.llen(redis_wakeups.KEY)

    assert wakeups.wait()


@pytest.mark.django_db
@pytest.mark.usefixtures("away")
def test_while_redis_is_away_postgresql_wakes() -> None:
    wake_worker()
    broker = RedisBroker()
    tasks = broker.dequeue()

    assert OrmQ.objects.filter(key=DRAINS).count() == 1
    assert [SignedPackage.loads(task)["func"] for _, task in tasks] == [DRAIN]
    assert broker.dequeue() == []  # it does not wait for a Redis that is away, and fails in no way


@pytest.mark.django_db
def test_whoever_could_not_reach_redis_is_seen_by_a_worker_that_can(wakeups: RedisWakeups, settings: Settings) -> None:
    there, settings.REDIS_URL = settings.REDIS_URL, "unix:///nobody.sock"
    wake_worker()
    settings.REDIS_URL = there

    assert len(RedisBroker().dequeue()) == 1
    assert not wakeups._client.exists(redis_wakeups.KEY)


def test_one_that_failed_is_left_alone_for_a_while(tmp_path: Path) -> None:
    nobody = RedisWakeups(f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(RedisAway):
        nobody.wake()
    nobody._waiting_client = None  # type: ignore[assignment]  # would fail in another way if it were asked
    with pytest.raises(RedisAway):
        nobody.wait()


@pytest.mark.parametrize("ask", [RedisWakeups.wake, RedisWakeups.ping])
def test_nobody_waits_for_a_frozen_one_as_long_as_a_worker_does(
    listening: socket.socket, monkeypatch: pytest.MonkeyPatch, ask: Callable[[RedisWakeups], None]
) -> None:
    monkeypatch.setattr(redis_wakeups, "_WAITING_ANSWER_SECONDS", 3_600.0)
    monkeypatch.setattr(redis_wakeups, "ANSWER_SECONDS", 0.05)
    frozen = RedisWakeups("redis://{}:{}".format(*listening.getsockname()))
    with pytest.raises(RedisAway):
        ask(frozen)
    listening.setblocking(False)
    listening.accept()[0].close()
    with pytest.raises(BlockingIOError):  # it was tried once
        listening.accept()
