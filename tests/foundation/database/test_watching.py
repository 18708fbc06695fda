"""A PostgreSQL that crashes is back in a moment with all it had; one that was stopped stays stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError

from foundation.database import watchdog
from foundation.database.embedded_server import EmbeddedServer, EmbeddedServerError
from foundation.database.management.commands.database import Command
from foundation.database.watchdog import DiskGuard, restart_on_crash
from foundation.signal_events import SignalEvent
from tests.support.waiting import wait_for

pytestmark = pytest.mark.workers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    own = EmbeddedServer(tmp_path_factory.mktemp("watched"))
    own.start()
    yield own
    own.stop()


@contextmanager
def watched(server: EmbeddedServer) -> Iterator[subprocess.Popen[str]]:
    """Under its watcher, as ``up`` runs it."""
    command = [sys.executable, "-u", "-m", "foundation.database.watchdog", str(server.data_dir)]
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def _crash(server: EmbeddedServer) -> None:
    postmaster = psutil.Process(int((server.cluster / "postmaster.pid").read_text().split()[0]))
    for process in [postmaster, *postmaster.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def test_a_crashed_server_comes_back_with_what_was_committed(server: EmbeddedServer) -> None:
    server.start()
    with server.connect() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer")
    with watched(server) as watcher:
        for _ in range(2):
            _crash(server)
            assert watcher.stdout is not None
            assert "back after" in watcher.stdout.readline()
            with server.connect() as connection:
                assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_nothing_is_written_while_the_disk_is_nearly_full(
    server: EmbeddedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    server.start()
    guard = DiskGuard(server, least_free=2**62)
    guard.look()
    wait_for(lambda: not _writes(server))
    assert "everything can be read" in capfd.readouterr().out
    with server.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    DiskGuard(server, least_free=0).look()  # a later watcher, where there is room again
    wait_for(lambda: _writes(server))


def test_a_server_that_a_full_disk_left_read_only_starts_once_there_is_room(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.start()
    server.refuse_writes(True)
    server.stop()

    monkeypatch.setattr(watchdog, "LEAST_FREE_BYTES", 2**62)
    with pytest.raises(CommandError, match="Make room"):
        Command().start(server)
    monkeypatch.setattr(watchdog, "LEAST_FREE_BYTES", 0)
    Command().start(server)

    assert _writes(server)


def _writes(server: EmbeddedServer) -> bool:
    """Whether a transaction may write."""
    with server.connect() as connection, suppress(psycopg.errors.ReadOnlySqlTransaction):
        connection.execute("CREATE TABLE written (answer int)")
        connection.execute("DROP TABLE written")
        return True
    return False


class FewLooks(SignalEvent):
    """Says stop after the third look."""

    looks = 0

    def wait(self, seconds: float) -> bool:
        self.looks += 1
        return self.looks > 3


def test_a_stopped_server_is_left_alone(server: EmbeddedServer) -> None:
    server.start()
    server.stop()

    restart_on_crash(server, FewLooks())

    assert not server.is_running()


def test_a_server_that_cannot_start_is_tried_again_until_told_to_stop(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: EmbeddedServer) -> None:
        raise EmbeddedServerError

    monkeypatch.setattr(EmbeddedServer, "has_crashed", lambda _: True)
    monkeypatch.setattr(EmbeddedServer, "start", fails)

    restart_on_crash(server, FewLooks())

    assert capsys.readouterr().out == ""


def test_the_socket_lock_of_a_crashed_server_is_no_obstacle_though_its_number_lives(server: EmbeddedServer) -> None:
    server.start()
    _crash(server)
    wait_for(server.has_crashed)
    lock = server.sockets / ".s.PGSQL.5432.lock"
    lock.write_text(f"{os.getpid()}\n")

    assert server.start()


def test_only_a_server_that_ended_by_itself_has_crashed(server: EmbeddedServer, tmp_path: Path) -> None:
    server.start()
    assert not server.has_crashed()
    assert not EmbeddedServer(tmp_path).has_crashed()
    _crash(server)
    wait_for(server.has_crashed)
