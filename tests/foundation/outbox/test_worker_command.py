"""The worker's cluster dies: it is replaced, but not for ever. Needs no database."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from foundation.outbox import cluster_process
from foundation.outbox.management.commands import worker
from foundation.signal_events import SignalEvent
from tests.support.waiting import wait_for


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(worker, "PAUSE_SECONDS", 0.01)


class Clusters:
    """Starts the programs given, the last one over and over."""

    def __init__(self, *programs: str) -> None:
        self.programs = programs
        self.started = 0

    def __call__(self) -> subprocess.Popen[bytes]:
        program = self.programs[min(self.started, len(self.programs) - 1)]
        self.started += 1
        return subprocess.Popen([sys.executable, "-c", program], start_new_session=True)


def _nothing() -> None:
    """Look about for nothing."""


DIES, LIVES = "raise SystemExit(3)", "import time; time.sleep(600)"


def test_a_cluster_that_never_lives_is_given_up_with_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    clusters = Clusters(DIES)
    monkeypatch.setattr(worker, "start_cluster", clusters)

    assert worker.supervise_cluster(SignalEvent(), _nothing) == 3
    assert clusters.started == worker.DEATHS_IN_A_ROW


def test_a_cluster_that_dies_is_replaced_by_one_that_lives_until_asked_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_to_stop = SignalEvent()
    clusters = Clusters(DIES, DIES, LIVES)

    def start() -> subprocess.Popen[bytes]:
        cluster = clusters()
        if clusters.started == 3:
            asked_to_stop.set()
        return cluster

    monkeypatch.setattr(worker, "start_cluster", start)

    assert worker.supervise_cluster(asked_to_stop, _nothing) == 0
    assert clusters.started == 3


def test_what_a_dead_head_leaves_behind_ends_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    left = tmp_path / "left"
    begets = f"import pathlib, subprocess, sys; child = subprocess.Popen([sys.executable, '-c', {LIVES!r}])"
    names = f"pathlib.Path({str(left)!r}).write_text(str(child.pid))"
    monkeypatch.setattr(worker, "start_cluster", Clusters("; ".join([begets, names, DIES])))
    monkeypatch.setattr(worker, "DEATHS_IN_A_ROW", 1)

    assert worker.supervise_cluster(SignalEvent(), _nothing) == 3

    assert _ends(int(left.read_text()))


def _ends(pid: int) -> bool:
    """Whether a process is gone soon, or is only waiting for somebody to look at its end."""
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_a_cluster_is_forked_from_what_was_loaded_before_and_hears_its_own_signals(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    loaded = ["before"]

    def run() -> None:
        told.write_text(f"{loaded[0]} {os.getsid(0) == os.getpid()}")
        time.sleep(600)

    monkeypatch.setattr(worker, "run_cluster", run)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        cluster = worker.start_cluster()
    finally:
        signal.signal(signal.SIGTERM, before)
    wait_for(lambda: told.exists() and told.read_text().endswith("True"))

    assert told.read_text() == "before True"
    assert worker.stop_cluster(cluster) == 0
    assert cluster.returncode == -signal.SIGTERM


def test_deaths_far_apart_are_not_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SETTLED_SECONDS", 0.0)
    asked_to_stop = SignalEvent()
    clusters = Clusters(*[DIES] * (worker.DEATHS_IN_A_ROW + 2), LIVES)

    def start() -> subprocess.Popen[bytes]:
        cluster = clusters()
        if clusters.started > worker.DEATHS_IN_A_ROW + 2:
            asked_to_stop.set()
        return cluster

    monkeypatch.setattr(worker, "start_cluster", start)

    assert worker.supervise_cluster(asked_to_stop, _nothing) == 0


def _note(notes: Path, told: str) -> None:
    notes.write_text(told)


def work(notes: Path, *, listens: bool) -> None:
    """Run as a worker amid its jobs until told to stop."""
    signal.signal(signal.SIGTERM, lambda *_: None)  # the head waits for its workers
    if listens:
        signal.signal(signal.SIGUSR1, lambda *_: _note(notes, "stopped"))
    notes.write_text("begun")
    while notes.read_text() == "begun":
        time.sleep(0.01)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)


@pytest.mark.parametrize(("listens", "patience", "told"), [(True, 30.0, "stopped"), (False, 0.3, "begun")])
def test_a_worker_amid_its_jobs_hears_that_it_is_to_stop_and_one_that_is_deaf_is_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, listens: bool, patience: float, told: str
) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setattr(worker, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr(worker, "run_cluster", lambda: work(notes, listens=listens))
    cluster = worker.start_cluster()
    wait_for(lambda: notes.exists() and notes.read_text() == "begun")

    assert worker.stop_cluster(cluster) == 0

    assert cluster.returncode == (0 if listens else -signal.SIGKILL)
    assert notes.read_text() == told


def _note_niceness(notes: Path) -> None:
    notes.write_text(Path("/proc/self/autogroup").read_text())


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel schedules no sessions")
def test_the_session_of_a_cluster_is_as_nice_as_the_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its processes' own niceness is not heeded towards those of other sessions."""
    monkeypatch.setattr(os, "nice", lambda more: 7)
    cluster = cluster_process.ClusterProcess(partial(_note_niceness, tmp_path / "notes"))

    assert cluster.wait(30) == 0
    assert (tmp_path / "notes").read_text().split()[-1] == "7"
