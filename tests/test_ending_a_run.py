"""Ending what ``make run`` started: nothing of it stays behind, and nothing of another run is taken down."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest
from django.conf import settings

from finclaw.management.commands.up import GOODBYE, STILL_USED
from foundation.database.embedded_server import EmbeddedServer
from tests.support.ports import free_port
from tests.support.processes import lives
from tests.support.waiting import wait_for

pytestmark = pytest.mark.workers
CTRL_C = b"\x03"
CLOSED = -1
NO_DATABASE = {"DATABASE_URL": "", "DATABASE_OWNER_URL": ""}
CLUSTER_PROCESSES = 6  # head, sentinel, two workers, monitor and pusher


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """The database of this module's runs, which start it and are to stop it.

    Not in pytest's own folder: another pytest closes that one to the account PostgreSQL runs as.
    """
    with TemporaryDirectory(prefix="finclaw-run-") as folder:
        own = EmbeddedServer(Path(folder))
        yield own
        own.stop()


class Run:
    """``manage.py up`` at a terminal of its own."""

    def __init__(self, data_dir: Path) -> None:
        self.terminal, theirs = pty.openpty()
        os.set_blocking(self.terminal, False)
        self.port = free_port()
        self.output = ""
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(self.port)],
            cwd=settings.BASE_DIR,
            env=os.environ | {"FINCLAW_DATA_DIR": str(data_dir), "MCP_PORT": str(free_port())} | NO_DATABASE,
            preexec_fn=lambda: os.login_tty(theirs),  # a controlling terminal, whose end is a SIGHUP
        )
        os.close(theirs)

    def family(self) -> list[psutil.Process]:
        """Itself and every process under it."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]

    def heads(self) -> list[psutil.Process]:
        """The heads of web and worker, and the database's watcher."""
        return psutil.Process(self.process.pid).children()

    def is_up(self) -> bool:
        """Whether the web answers from the database, and the worker's cluster stands."""
        assert not self.has_ended(), self.output
        return self.serves() and any(
            _command(head)[-1:] == ["worker"] and len(head.children(recursive=True)) >= CLUSTER_PROCESSES
            for head in self.heads()
        )

    def serves(self) -> bool:
        """Whether the web answers, with its database behind it."""
        with suppress(URLError, ConnectionError, TimeoutError):
            return bool(urlopen(f"http://127.0.0.1:{self.port}/health/ready", timeout=5).status == 200)
        return False

    def has_ended(self) -> bool:
        """Whether the command itself is over."""
        self.read()
        return self.process.poll() is not None

    def close_terminal(self) -> None:
        """As a person does who closes the window."""
        if self.terminal != CLOSED:
            os.close(self.terminal)
            self.terminal = CLOSED

    def read(self) -> None:
        """Take in what the terminal shows; a full one would hold the run up."""
        with suppress(OSError):  # nothing there, or nobody any more
            while shown := os.read(self.terminal, 4096):
                self.output += shown.decode(errors="replace")


@contextmanager
def running(server: EmbeddedServer) -> Iterator[Run]:
    """A run that stands; whatever is left of it is killed at the end, by number."""
    run = Run(server.data_dir)
    family: list[psutil.Process] = []
    try:
        wait_for(run.is_up)
        family = run.family()
        yield run
    finally:
        if run.process.poll() is None:
            family += run.family()
        for process in filter(lives, family):
            process.kill()
        run.process.wait()
        run.close_terminal()


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.NoSuchProcess):  # a zombie counts as such
        return process.cmdline()
    return []


def _have_all_ended(family: list[psutil.Process]) -> bool:
    return not any(map(lives, family))


def test_a_closed_terminal_ends_every_process_and_the_database(server: EmbeddedServer) -> None:
    with running(server) as run:
        family = run.family()

        run.close_terminal()

        wait_for(run.has_ended)
        wait_for(partial(_have_all_ended, family))
        assert run.process.returncode == 0
        assert len(family) >= 6  # itself, the database's watcher, the web and its worker, the worker and its cluster
    assert not server.is_running()


@pytest.mark.proof  # of each part: test_supervisor, test_watching and test_embedded_server
def test_what_crashes_comes_back_and_the_database_stays_for_a_second_run_and_goes_with_the_last(
    server: EmbeddedServer,
) -> None:
    with running(server) as first:
        for head in first.heads():
            family = [head, *head.children(recursive=True)]
            head.kill()
            wait_for(partial(_have_all_ended, family))
        wait_for(first.is_up)
        _crash(server)
        wait_for(first.serves)
        wait_for(first.is_up)

        with running(server) as second:
            os.write(first.terminal, CTRL_C)
            wait_for(first.has_ended)

            assert STILL_USED in first.output
            assert second.is_up()

            os.write(second.terminal, CTRL_C)
            wait_for(second.has_ended)

            assert GOODBYE in second.output
            assert (first.process.returncode, second.process.returncode) == (0, 0)
    assert not server.is_running()


def _crash(server: EmbeddedServer) -> None:
    """Kill the whole of PostgreSQL, and see it gone."""
    postmaster = psutil.Process(int((server.cluster / "postmaster.pid").read_text().split()[0]))
    family = [*postmaster.children(recursive=True), postmaster]
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    wait_for(partial(_have_all_ended, family))
