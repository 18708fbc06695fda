"""Real worker processes: killed at random, and django-q2's own cluster from start to stop."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task
from django_q.tasks import async_task
from pytest_django import Settings

from bench import worker_kills
from bench.effects import effects_table
from bench.qcluster import qcluster
from bench.random_kills import kill_until_idle
from bench.worker_handlers import COUNT, RUN_AWAY, RUN_AWAY_DEAF
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _enqueue_and_commit() -> None:
    with transaction.atomic():
        enqueue(COUNT, user_id=None, payload={})


def _done() -> int:
    return OutboxMessage.objects.filter(state=OutboxMessage.State.DONE).count()


def test_workers_killed_at_random_lose_nothing_and_double_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOX_MOST_CLAIMS", "5")  # the poison loses its worker each second
    with effects_table(_database()):
        outcome = worker_kills.run(_database(), jobs=30)

    assert outcome.kills > 0
    assert (outcome.lost, outcome.doubled) == (0, 0)
    assert outcome.poison_raising.startswith("failed after 5 attempts")
    assert outcome.poison_dying == "failed after 5 attempts: WorkerDied"


def test_the_cluster_drains_what_another_process_enqueues_and_leaves_nothing_behind() -> None:
    with effects_table(_database()):
        with qcluster(_database()) as cluster:
            _enqueue_and_commit()
            wait_for(lambda: _done() == 1)
            for _ in range(20):
                _enqueue_and_commit()
            wait_for(lambda: _done() == 21)
            family = cluster.family()
        connections = _connections_used()

    assert len(family) >= 5  # itself, its sentinel, two workers, monitor and pusher
    assert not [process for process in family if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]
    assert connections
    assert len({backend for _, backend in connections}) == len(connections), "two processes shared a connection"


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_worker_makes_no_folder_because_a_schedule_or_a_task_says_so(tmp_path: Path) -> None:
    by_schedule, by_task = tmp_path / "by_schedule", tmp_path / "by_task"
    Schedule.objects.using("owner").create(
        name="outbox sweep", func="os.mkdir", args=repr(str(by_schedule)), next_run=timezone.now() - timedelta(hours=1)
    )
    async_task("os.mkdir", str(by_task))

    with effects_table(_database()), qcluster(_database()):
        wait_for(lambda: Schedule.objects.get().next_run > timezone.now() and not OrmQ.objects.exists())
        _enqueue_and_commit()
        wait_for(lambda: _done() == 1)

    assert list(tmp_path.iterdir()) == []
    assert not Task.objects.exists()


def test_a_job_that_computes_for_ever_ends_and_the_others_go_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 2
    monkeypatch.setenv("OUTBOX_MOST_CLAIMS", "2")
    monkeypatch.setenv("LEARNING_DEADLINE_SECONDS", "0.2")
    jobs = {topic: enqueue(topic, user_id=None, payload={}).pk for topic in (RUN_AWAY, RUN_AWAY_DEAF)}
    others = [enqueue(COUNT, user_id=None, payload={}).pk for _ in range(5)]

    with effects_table(_database()):
        kill_until_idle(_database(), workers=1, kill_every=0.05, seed=0, most_kills=0)

    ended = {topic: OutboxMessage.objects.get(pk=pk) for topic, pk in jobs.items()}
    told = {topic: (job.state, job.attempts, job.error_class) for topic, job in ended.items()}
    assert told[RUN_AWAY] == ("failed", 1, "DeadlineExceeded")
    assert told[RUN_AWAY_DEAF] == ("failed", 2, "WorkerDied")
    assert OutboxMessage.objects.filter(pk__in=others, state="done").count() == len(others)


def _connections_used() -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT process, backend FROM bench_effect")
        return list(cursor.fetchall())
