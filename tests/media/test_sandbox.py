"""The process that parses files starts no others, leaves none behind, and answers within bounds."""

from __future__ import annotations

import time

import psutil
import pytest

from media.sandbox import Limits, SandboxExceeded, run_limited

HERE = "tests.media.sandboxed:"


def _is_running(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_it_started_ends_with_it() -> None:
    left = run_limited(f"{HERE}leave_behind", b"", {}, limits=Limits(may_fork=True)).value
    for _ in range(300):
        if not _is_running(left):
            return
        time.sleep(0.1)
    pytest.fail("it is still running")


def test_it_may_start_none_unless_told() -> None:
    assert run_limited(f"{HERE}most_processes", b"", {}).value == 0
    assert run_limited(f"{HERE}most_processes", b"", {}, limits=Limits(may_fork=True)).value != 0


def test_an_answer_without_an_end_is_cut_off() -> None:
    with pytest.raises(SandboxExceeded):
        run_limited(f"{HERE}write_for_ever", b"", {}, limits=Limits(answer_megabytes=1))


def test_what_it_complains_of_is_not_kept() -> None:
    assert run_limited(f"{HERE}complain", b"", {}).value == "/dev/null"
