"""The embedded PostgreSQL: one server a data directory, whatever a pid file says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from foundation.database.bootstrap import bootstrap
from foundation.database.cache_size import available_bytes, cache_megabytes
from foundation.database.embedded_server import EmbeddedServer, EmbeddedServerError
from foundation.database.roles import ENTERED_ROLES
from foundation.database.urls import APP_ROLE, OWNER_ROLE


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server of this module's own; each test finds it stopped or running, as the last one left it."""
    own = EmbeddedServer(tmp_path_factory.mktemp("data"))
    yield own
    own.stop()


def _dead_pid() -> int:
    finished = subprocess.Popen([sys.executable, "-c", ""])
    finished.wait()
    return finished.pid


def _leave_pid_file(server: EmbeddedServer, pid: int) -> Path:
    server.start()
    server.stop()
    pid_file = server.cluster / "postmaster.pid"
    pid_file.write_text(f"{pid}\n{server.cluster}\n")
    return pid_file


def test_it_starts_once_and_is_found_running_afterwards(server: EmbeddedServer) -> None:
    server.stop()

    assert not server.is_running()
    assert server.start()
    assert server.is_running()
    assert not server.start()


def test_stopping_says_whether_there_was_anything_to_stop(server: EmbeddedServer) -> None:
    server.start()

    assert server.stop()
    assert not server.is_running()
    assert not server.stop()


def test_its_cache_is_fitted_to_the_memory(server: EmbeddedServer) -> None:
    server.start()

    with server.connect() as connection:
        row = connection.execute("SELECT pg_size_bytes(current_setting('shared_buffers')) / 1024 / 1024").fetchone()
    assert row == (cache_megabytes(available_bytes()),)


def test_what_was_stored_is_there_after_a_restart(server: EmbeddedServer) -> None:
    server.start()
    with server.connect() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer")
    server.stop()
    server.start()

    with server.connect() as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_the_pid_file_of_a_dead_process_is_no_obstacle(server: EmbeddedServer) -> None:
    _leave_pid_file(server, _dead_pid())

    assert server.start()


def test_nor_is_one_whose_number_some_other_program_has_now(server: EmbeddedServer) -> None:
    _leave_pid_file(server, os.getpid())

    assert server.start()


def test_the_pid_file_of_a_living_server_stays(server: EmbeddedServer) -> None:
    server.start()
    before = (server.cluster / "postmaster.pid").read_text()

    server._drop_stale_files()

    assert (server.cluster / "postmaster.pid").read_text() == before


def test_a_data_directory_with_a_long_path_works(tmp_path: Path) -> None:
    deep = EmbeddedServer(tmp_path / ("d" * 100))
    try:
        assert deep.start()
        assert not deep.sockets.is_relative_to(tmp_path)
    finally:
        deep.stop()


def test_others_connections_are_counted(server: EmbeddedServer) -> None:
    server.start()
    alone = server.client_count()
    with server.connect():
        assert server.client_count() == alone + 1


def test_while_others_are_connected_it_is_not_stopped(server: EmbeddedServer) -> None:
    server.start()

    with server.connect():
        assert not server.stop_if_unused()

    assert server.is_running()


def test_connections_that_are_about_to_go_are_waited_for(server: EmbeddedServer) -> None:
    server.start()
    leaving = server.connect()
    counted = []

    def count(of: EmbeddedServer) -> int:
        counted.append(EmbeddedServer.client_count(of))
        leaving.close()
        return counted[-1]

    class Watched(EmbeddedServer):
        client_count = count

    assert Watched(server.data_dir).stop_if_unused()
    assert counted[0] == 1


def test_its_log_is_told_to_keep_no_statements(server: EmbeddedServer) -> None:
    server.start()
    with server.connect() as connection, pytest.raises(psycopg.errors.InvalidTextRepresentation):
        connection.execute("SELECT 'grandmothers piano'::integer")

    assert "grandmothers piano'::integer" not in (server.cluster / "server.log").read_text()


def test_bootstrap_makes_roles_extension_and_database_and_again_changes_nothing(server: EmbeddedServer) -> None:
    server.start()
    bootstrap(server, "made")
    first = _catalogue(server)
    bootstrap(server, "made")

    assert _catalogue(server) == first
    roles, extensions, owner = first
    assert {APP_ROLE, OWNER_ROLE, *ENTERED_ROLES} <= {name for name, *_ in roles}
    assert not any(superuser for _, superuser, _ in roles)
    assert extensions == [("vector",)]
    assert owner == (OWNER_ROLE,)


def _catalogue(server: EmbeddedServer) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]], object]:
    with server.connect("made") as connection:
        roles = connection.execute(
            "SELECT rolname, rolsuper, rolcanlogin FROM pg_roles WHERE rolname LIKE 'finclaw%' ORDER BY 1"
        ).fetchall()
        extensions = connection.execute("SELECT extname FROM pg_extension WHERE extname = 'vector'").fetchall()
        owner = connection.execute(
            "SELECT datdba::regrole::text FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    return roles, extensions, owner


def test_several_that_prepare_the_same_database_at_once_all_succeed(server: EmbeddedServer) -> None:
    server.start()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: bootstrap(server, "prepared_at_once"), range(4)))

    server.connect("prepared_at_once", OWNER_ROLE).close()


def test_a_folder_of_sockets_that_somebody_else_laid_out_is_refused(tmp_path: Path) -> None:
    data_dir = tmp_path.joinpath(*["a-long-name"] * 9)  # its sockets lie in the temp dir, where anybody may be first
    own = EmbeddedServer(data_dir)
    own.sockets.symlink_to(tmp_path)
    try:
        with pytest.raises(EmbeddedServerError, match="somebody else"):
            own.start()
    finally:
        own.sockets.unlink()
