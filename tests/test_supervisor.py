"""Programs are started again when they die, nothing of a dead one stays, and all end in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from threading import Thread

import psutil
import pytest

from finclaw import supervisor as supervisor_module
from finclaw.supervisor import LONGEST_PAUSE_SECONDS, Program, Supervisor, pause_before_start
from tests.support.processes import lives
from tests.support.waiting import wait_for

ENDS_SLOWLY = "trap 'sleep 0.3; echo gone; exit' TERM; echo up; while :; do sleep 0.05; done"
SERVES = "trap 'echo told; exit' TERM; echo up; while :; do sleep 0.05; done"
LEAVES_AN_ORPHAN = "setsid sleep 1000 & echo orphan $!; echo head $$; wait"
STANDS_BY = """
if [ -n "$FINCLAW_SPARE" ]; then echo spare $$; read -r go || exit 0; fi
echo head $$; while :; do sleep 0.05; done
"""
LOADS_NO_SPARE = 'test -n "$FINCLAW_SPARE" && exit 3; echo head $$; while :; do sleep 0.05; done'
IGNORES_TERM = "trap '' TERM; echo up; while :; do sleep 0.05; done"


def shell(name: str, script: str) -> Program:
    return Program(name, ["/bin/sh", "-c", script])


@contextmanager
def supervised(*programs: Program, last: tuple[Program, ...] = ()) -> Iterator[tuple[Supervisor, StringIO]]:
    """Programs that run, and what is printed of them."""
    shown = StringIO()
    supervisor = Supervisor(programs, last, shown, Path.cwd())
    thread = Thread(target=supervisor.supervise)
    thread.start()
    try:
        yield supervisor, shown
    finally:
        supervisor.stop()
        thread.join(60)
        assert not thread.is_alive()


def numbers(shown: StringIO, word: str) -> list[int]:
    """The process numbers printed after a word."""
    return [int(line.split()[-1]) for line in shown.getvalue().splitlines() if f"| {word} " in line]


def test_a_killed_head_is_replaced_and_its_orphans_end_with_it() -> None:
    with supervised(shell("worker", LEAVES_AN_ORPHAN)) as (_, shown):
        wait_for(lambda: bool(numbers(shown, "head")))
        head, orphan = (psutil.Process(*numbers(shown, word)) for word in ("head", "orphan"))

        head.kill()

        wait_for(lambda: len(numbers(shown, "head")) == 2)
        assert not lives(orphan)
        second = psutil.Process(numbers(shown, "head")[-1])
        assert "worker | ended with SIGKILL; it is started again in 0.5 s" in shown.getvalue()
    assert not lives(second)


def test_a_spare_takes_the_place_of_one_that_dies_and_gets_one_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "SPARE_PAUSE_SECONDS", 0.1)
    with supervised(Program("web", ["/bin/sh", "-c", STANDS_BY], has_spare=True)) as (_, shown):
        wait_for(lambda: bool(numbers(shown, "spare")))
        [first], [spare] = numbers(shown, "head"), numbers(shown, "spare")

        psutil.Process(first).kill()

        wait_for(lambda: numbers(shown, "head") == [first, spare])
        assert "web | ended with SIGKILL; its spare takes over once it has loaded" in shown.getvalue()
        wait_for(lambda: len(numbers(shown, "spare")) == 2)
    assert not any(map(psutil.pid_exists, numbers(shown, "spare")))


def test_a_spare_that_dies_is_replaced_and_disturbs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "SPARE_PAUSE_SECONDS", 0.1)
    with supervised(Program("web", ["/bin/sh", "-c", STANDS_BY], has_spare=True)) as (_, shown):
        wait_for(lambda: bool(numbers(shown, "spare")))

        psutil.Process(numbers(shown, "spare")[0]).kill()

        wait_for(lambda: len(numbers(shown, "spare")) == 2)
        assert len(numbers(shown, "head")) == 1
        assert "web | its spare ended with SIGKILL; another is started in 0.5 s" in shown.getvalue()
        assert "web | ended with" not in shown.getvalue()


def test_a_spare_that_cannot_load_is_tried_again_after_a_pause_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "SPARE_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE_SECONDS", 0.05)
    with supervised(Program("web", ["/bin/sh", "-c", LOADS_NO_SPARE], has_spare=True)) as (_, shown):
        wait_for(lambda: shown.getvalue().count("its spare ended") >= 2 and bool(numbers(shown, "head")))
        ended = [line.split("| ")[1] for line in shown.getvalue().splitlines() if "its spare ended" in line]
        assert ended[:2] == [
            f"its spare ended with code 3; another is started in {pause} s" for pause in ("0.1", "0.2")
        ]
        assert len(numbers(shown, "head")) == 1


def test_what_cannot_be_killed_is_named_and_waited_for_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    kill = psutil.Process.kill
    monkeypatch.setattr(supervisor_module, "_KILLING_SECONDS", 0.01)
    monkeypatch.setattr(psutil.Process, "kill", lambda process: None)  # as one that waits for a disk takes it
    with supervised(shell("worker", LEAVES_AN_ORPHAN)) as (_, shown):
        wait_for(lambda: bool(numbers(shown, "head")))
        head, orphan = (psutil.Process(*numbers(shown, word)) for word in ("head", "orphan"))

        kill(head)

        wait_for(lambda: len(numbers(shown, "head")) == 2)
        assert f"process {orphan.pid} does not end although it was killed; it is left behind" in shown.getvalue()
    for number in numbers(shown, "orphan"):
        kill(psutil.Process(number))


def test_what_serves_the_others_is_told_once_they_have_ended() -> None:
    with supervised(shell("web", ENDS_SLOWLY), last=(shell("postgres", SERVES),)) as (_, shown):
        wait_for(lambda: shown.getvalue().count("| up") == 2)
    lines = [line.split(" ", 1)[1].split() for line in shown.getvalue().splitlines() if "| up" not in line]
    assert [(line[0], line[-1]) for line in lines] == [
        ("web", "gone"), ("web", "stopped"), ("postgres", "told"), ("postgres", "stopped"),
    ]  # fmt: skip


def test_told_twice_it_waits_for_nothing() -> None:
    with supervised(shell("web", IGNORES_TERM)) as (supervisor, shown):
        wait_for(lambda: "| up" in shown.getvalue())
        supervisor.stop()
    assert "web | stopped" in shown.getvalue()


def test_one_that_cannot_be_started_hinders_no_other() -> None:
    with supervised(Program("web", ["/nowhere"]), shell("worker", SERVES)) as (_, shown):
        wait_for(lambda: "| up" in shown.getvalue() and "FileNotFoundError" in shown.getvalue())


@pytest.mark.parametrize(("deaths", "seconds"), [(0, 0.0), (1, 0.5), (4, 4.0), (40, LONGEST_PAUSE_SECONDS)])
def test_the_pause_doubles_with_each_death_in_a_row_up_to_a_bound(deaths: int, seconds: float) -> None:
    assert pause_before_start(deaths) == seconds
