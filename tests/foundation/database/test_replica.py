"""Reads go to a standby that has all that was committed, and to the primary where it lags, fails or is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from foundation.accounts.models import User
from foundation.database import replica
from foundation.database.acting_user import acting_as
from foundation.database.embedded_server import OS_USER, EmbeddedServer, binaries
from foundation.database.replica import StandbyAbsence, reading_from_replica
from foundation.database.urls import REPLICA, database_settings
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", REPLICA])
WHERE = "SELECT pg_is_in_recovery()"


def _run(program: str, *arguments: str) -> None:
    as_root = os.geteuid() == 0  # PostgreSQL refuses to run as root
    subprocess.run(
        [str(binaries() / program), *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C"},
        user=OS_USER if as_root else None,
        group=OS_USER if as_root else None,
        extra_groups=[] if as_root else None,
    )


@contextmanager
def _slot(primary: EmbeddedServer) -> Iterator[str]:
    """A replication slot: other tests' checkpoints would remove the log that the standby has yet to read."""
    name = f"standby_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    with primary.connect() as superuser:
        _drop_slot(superuser, name)  # of a run that was killed
        superuser.execute("SELECT pg_create_physical_replication_slot(%s, true)", [name])
        try:
            yield name
        finally:
            _drop_slot(superuser, name)


def _drop_slot(superuser: psycopg.Connection, name: str) -> None:
    reader = "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name = %s"
    superuser.execute(reader, [name])  # one that was stopped is noticed late
    superuser.execute(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", [name]
    )


@pytest.fixture(scope="module")
def sockets(django_db_setup: None) -> Iterator[str]:
    """The folder of the socket of a standby of the tests' own PostgreSQL."""
    primary = EmbeddedServer(settings.DATA_DIR)
    with _slot(primary) as slot, TemporaryDirectory(prefix="finclaw-standby-") as name:
        folder, cluster = Path(name), Path(name, "cluster")
        if os.geteuid() == 0:
            shutil.chown(folder, OS_USER)
        source = ("--host", str(primary.sockets), "--username", "postgres")
        copy = ("--pgdata", str(cluster), "--slot", slot, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        _run("pg_basebackup", *source, *copy)
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c shared_buffers=32MB -c fsync=off"
        _run("pg_ctl", "-D", str(cluster), "-w", "-s", "-l", str(folder / "log"), "-o", options, "start")
        yield str(folder)
        _run("pg_ctl", "-D", str(cluster), "-w", "-s", "-m", "immediate", "stop")


@pytest.fixture(scope="module", autouse=True)
def configured(sockets: str) -> Iterator[None]:
    """The settings name the standby."""
    usual = connections.settings["default"]
    connections.settings[REPLICA] = {**usual, "HOST": sockets, "TEST": {**usual["TEST"], "MIRROR": "default"}}
    yield
    connections[REPLICA].close()
    del connections[REPLICA]
    del connections.settings[REPLICA]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "_absence", StandbyAbsence())
    monkeypatch.setattr(replica, "PATIENCE_SECONDS", 120.0)  # beside other tests it may lag long


@pytest.fixture
def given_back(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The databases whose connections were given back, in this order."""
    aliases: list[str] = []
    monkeypatch.setattr(replica, "_give_back", lambda given: aliases.append(given.alias))
    return aliases


@pytest.fixture
def standby(sockets: str) -> Iterator[psycopg.Connection]:
    """The superuser's connection to the standby."""
    with psycopg.connect(host=sockets, user="postgres", dbname="postgres", autocommit=True) as superuser:
        yield superuser


def _is_standby() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WHERE)
        return bool(cursor.fetchone()[0])


def test_without_a_standby_the_primary_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(connections.settings, REPLICA)
    with reading_from_replica() as is_replica:
        assert (is_replica, _is_standby()) == (False, False)


def test_a_standby_is_read_and_shows_what_was_committed_just_now(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(display_name="Zqjustnow")
    with reading_from_replica() as is_replica, acting_as(alice.pk):
        assert (is_replica, _is_standby()) == (True, True)
        assert User.objects.get(pk=alice.pk).display_name == "Zqjustnow"
    assert not _is_standby()


def test_nothing_can_be_written_there(alice: User) -> None:
    with pytest.raises(DatabaseError, match="read-only"), reading_from_replica():
        User.objects.filter(pk=alice.pk).update(display_name="Zqnever")
    assert not _is_standby()


def test_inside_a_transaction_it_stays_the_primary() -> None:
    with transaction.atomic(), reading_from_replica() as is_replica:
        assert (is_replica, _is_standby()) == (False, False)


def test_a_standby_that_lags_is_not_read(
    standby: psycopg.Connection, alice: User, given_back: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(replica, "LAG_SECONDS", 600.0)
    standby.execute("SELECT pg_wal_replay_pause()")
    try:
        User.objects.filter(pk=alice.pk).update(display_name="Zqlater")
        with reading_from_replica() as is_replica, acting_as(alice.pk):
            assert (is_replica, _is_standby()) == (False, False)
            assert User.objects.get(pk=alice.pk).display_name == "Zqlater"
        assert given_back == ["default", REPLICA]
        with CaptureQueriesContext(connections[REPLICA]) as asked, reading_from_replica() as is_replica:
            assert not is_replica
        assert not asked.captured_queries  # the next read does not wait for it
    finally:
        standby.execute("SELECT pg_wal_replay_resume()")


def test_one_that_lagged_is_asked_again_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "LAG_SECONDS", 0.0)
    replica._absence.note_lag()
    with reading_from_replica() as is_replica:
        assert is_replica


def test_one_that_is_away_is_not_asked_again_for_a_while(
    given_back: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absence = StandbyAbsence()
    monkeypatch.setattr(replica, "_absence", absence)
    connections[REPLICA].close()
    monkeypatch.setitem(connections[REPLICA].settings_dict, "HOST", "/nowhere")
    with reading_from_replica() as is_replica:
        assert not is_replica
    assert absence.lasts()
    assert given_back == ["default", REPLICA]
    connections[REPLICA].close()


def test_a_search_by_the_api_finds_there_what_was_said_a_moment_ago(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "My cat is called Zqminka.")
    client = signed_in(alice)
    asked: list[str] = []

    def noting(execute: Callable[..., Any], statement: str, *rest: Any) -> Any:
        asked.append(statement)
        return execute(statement, *rest)

    with connections[REPLICA].execute_wrapper(noting):
        answer = post(client, "/api/messages/search", {"query": "Zqminka"})
    assert answer.status_code == 200, answer.content
    found = answer.json()["results"]

    assert [message["content"] for message in found if message["role"] == "user"] == ["My cat is called Zqminka."]
    assert any("memory_searchentry" in statement for statement in asked)


def test_the_settings_have_it_only_where_its_address_is_given(tmp_path: Path) -> None:
    address = "postgresql://finclaw_app@127.0.0.1:5001/finclaw"
    made = {
        url: database_settings(
            app_url=address, owner_url="", replica_url=url, data_dir=tmp_path, pooled=False, pool_size=1, prepared=True
        )
        for url in ("", address)
    }

    assert set(made[""]) == {"default", "owner"}
    assert made[address][REPLICA]["PORT"] == "5001"
    assert not made[address][REPLICA]["ATOMIC_REQUESTS"]
