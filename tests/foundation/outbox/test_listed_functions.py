"""A worker runs what the code lists: no row of the queue or of the schedules makes it run anything else."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import OperationalError, ProgrammingError, connection, transaction
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.models import OrmQ, Schedule
from django_q.signing import SignedPackage
from django_q.tasks import async_task
from structlog.testing import capture_logs

from finclaw.schedules import SCHEDULES
from foundation.database.acting_user import in_role
from foundation.database.roles import ENTERED_ROLES
from foundation.outbox.broker import ListedFunctionsBroker
from foundation.outbox.due_schedules import enqueue_due
from foundation.outbox.schedules import DRAIN, allowed_functions
from foundation.telemetry.metrics import TASKS_REFUSED

WRITES = (
    "INSERT INTO django_q_schedule (name, func, args, schedule_type, repeats, next_run)"
    " VALUES ('outbox sweep', 'os.mkdir', '''/tmp/made''', 'I', -1, now())",
    "UPDATE django_q_schedule SET func = 'os.mkdir'",
    "UPDATE django_q_schedule SET args = '''/tmp/made'''",
    "UPDATE django_q_schedule SET hook = 'os.mkdir'",
    "DELETE FROM django_q_schedule",
)


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["", *ENTERED_ROLES])
@pytest.mark.parametrize("statement", WRITES)
def test_no_role_that_the_application_has_writes_a_schedule(role: str, statement: str) -> None:
    as_role = in_role(role) if role else transaction.atomic()

    with pytest.raises(ProgrammingError, match="permission denied"), as_role:
        _execute(statement)


@pytest.mark.django_db
def test_an_upgraded_database_takes_the_grants_back(superuser_connection: Any) -> None:
    rows = superuser_connection.execute(
        "SELECT DISTINCT privilege_type FROM information_schema.role_table_grants"
        " WHERE table_name = 'django_q_schedule' AND grantee LIKE 'finclaw%' AND grantee <> 'finclaw_owner'"
    ).fetchall()

    assert rows == [("SELECT",)]


def test_the_list_holds_the_drain_and_what_runs_by_the_clock() -> None:
    assert allowed_functions() == {DRAIN, *(one.function for one in SCHEDULES)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("function", "arguments", "options", "reason"),
    [
        ("os.mkdir", ["/tmp/made"], {}, "not_listed"),  # noqa: S108
        ("subprocess.run", [], {}, "not_listed"),
        ("foundation.outbox.tasks.run", [], {}, "not_listed"),
        (Path.mkdir, [Path("/tmp/made")], {}, "not_listed"),  # noqa: S108
        (DRAIN, [], {"hook": "os.mkdir"}, "with_arguments"),
        (DRAIN, ["/tmp/made"], {}, "with_arguments"),  # noqa: S108
    ],
)
def test_a_signed_task_that_is_not_listed_reaches_no_worker(
    function: Any, arguments: list[Any], options: dict[str, Any], reason: str
) -> None:
    before = TASKS_REFUSED.labels(reason=reason)._value.get()
    async_task(function, *arguments, **options)

    with capture_logs() as logs:
        assert _dequeued() == []

    assert not OrmQ.objects.exists()
    assert [line["reason"] for line in logs if line["event"] == "task_refused"] == [reason]
    assert "/tmp/made" not in str(logs)  # noqa: S108
    assert TASKS_REFUSED.labels(reason=reason)._value.get() == before + 1


@pytest.mark.django_db
@pytest.mark.parametrize("payload", ["", "no package", "gASVIAAAAAAAAACMBXBvc2l4lIwFbWtkaXKUk5Q:1:x", "é:é:é"])
def test_a_task_without_our_signature_is_not_read(payload: str) -> None:
    OrmQ.objects.create(key=ListedFunctionsBroker().list_key, payload=payload, lock=timezone.now())

    assert _dequeued() == []
    assert not OrmQ.objects.exists()


@pytest.mark.django_db
def test_a_listed_task_goes_through() -> None:
    async_task(DRAIN, save=False)

    assert [SignedPackage.loads(payload)["func"] for _, payload in _dequeued()] == [DRAIN]


@pytest.mark.django_db(transaction=True)
def test_whoever_feeds_the_workers_outlives_a_database_that_is_away() -> None:
    async_task(DRAIN, save=False)
    with patch.object(ORM, "dequeue", side_effect=OperationalError), capture_logs() as logs:
        broker = ListedFunctionsBroker()
        assert [broker.dequeue(), broker.dequeue()] == [[], []]
    assert [line["event"] for line in logs] == ["queue_not_read"], "said once"

    OrmQ.objects.update(lock=timezone.now() - timedelta(seconds=1))
    assert len(broker.dequeue()) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_is_due_is_queued_once_and_then_waits_for_its_next_time() -> None:
    call_command("schedules")
    missed = timezone.now() - timedelta(days=2, seconds=30)
    Schedule.objects.using("owner").update(next_run=missed)
    broker = ListedFunctionsBroker()

    assert sorted(enqueue_due(broker)) == sorted(one.name for one in SCHEDULES)
    assert enqueue_due(broker) == []

    queued = [SignedPackage.loads(row.payload) for row in OrmQ.objects.all()]
    assert sorted(task["func"] for task in queued) == sorted(one.function for one in SCHEDULES)
    sweep = Schedule.objects.get(name="outbox sweep")
    assert timezone.now() < sweep.next_run <= timezone.now() + timedelta(minutes=1)
    assert (sweep.next_run - missed) % timedelta(minutes=1) == timedelta()
    assert sweep.task in {task["id"] for task in queued}


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize("name", ["outbox sweep", "mine", None])
def test_a_schedule_that_the_code_does_not_list_is_refused_and_said(name: str | None) -> None:
    Schedule.objects.using("owner").create(name=name, func="os.mkdir", args="'/tmp/made'", next_run=timezone.now())

    with capture_logs() as logs:
        assert enqueue_due(ListedFunctionsBroker()) == []
        assert enqueue_due(ListedFunctionsBroker()) == []

    assert not OrmQ.objects.exists()
    assert [line["event"] for line in logs] == ["schedule_refused"], "said, and not with every look"


def _dequeued() -> list[tuple[int, str]]:
    broker = ListedFunctionsBroker()
    OrmQ.objects.update(lock=timezone.now() - timedelta(seconds=1))
    return broker.dequeue()


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
