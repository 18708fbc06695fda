"""The process that parses files starts no others, leaves none behind, and answers within bounds."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from media.sandbox import Limits, SandboxExceeded, run_limited

HERE = "tests.media.sandboxed:"


def _is_running(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(300):
        if is_so():
            return
        time.sleep(0.1)
    pytest.fail("it did not come to that")


def test_what_it_started_ends_with_it() -> None:
    left = run_limited(f"{HERE}leave_behind", b"", {}, limits=Limits(may_fork=True)).value
    _wait_until(lambda: not _is_running(left))


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    note = tmp_path / "begun"
    program = f"from media.sandbox import run_limited; run_limited('{HERE}note_and_wait', b'', {{'note': '{note}'}})"
    with subprocess.Popen([sys.executable, "-c", program], cwd=settings.BASE_DIR) as starter:
        _wait_until(note.exists)
        [child] = psutil.Process(starter.pid).children()
        starter.kill()
    _wait_until(lambda: not _is_running(child.pid))


def test_it_may_start_none_unless_told() -> None:
    assert run_limited(f"{HERE}most_processes", b"", {}).value == 0
    assert run_limited(f"{HERE}most_processes", b"", {}, limits=Limits(may_fork=True)).value != 0


def test_an_answer_without_an_end_is_cut_off() -> None:
    with pytest.raises(SandboxExceeded):
        run_limited(f"{HERE}write_for_ever", b"", {}, limits=Limits(answer_megabytes=1))


def test_what_it_complains_of_is_not_kept() -> None:
    assert run_limited(f"{HERE}complain", b"", {}).value == "/dev/null"
