"""A spare waits until it is needed, and ends with its supervisor."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest.mock import patch

import pytest
from django.conf import settings
from pytest_django import Settings

from finclaw.management.commands import worker
from finclaw.standby import SPARE
from foundation.outbox.management.commands.worker import Command

WAITS = "from finclaw.standby import wait_until_needed; wait_until_needed(); print('serves', end='')"


@pytest.mark.parametrize(
    ("environment", "told", "printed"),
    [({"FINCLAW_SPARE": "1"}, b"\n", b"serves"), ({"FINCLAW_SPARE": "1"}, b"", b""), ({}, b"", b"serves")],
    ids=["needed", "its supervisor ended", "no spare"],
)
def test_a_spare_serves_once_it_is_told_to(environment: dict[str, str], told: bytes, printed: bytes) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", WAITS],
        input=told,
        env=environment,
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        check=True,
    )
    assert finished.stdout == printed


@pytest.mark.parametrize(("spare", "loads_at"), [("1", 15), ("", 5)])
def test_a_spare_worker_loads_behind_the_worker_and_ends_at_its_priority(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, spare: str, loads_at: int
) -> None:
    niceness = 5  # of a supervisor that was started with less priority
    seen: list[int] = []

    def nice(more: int) -> int:
        nonlocal niceness
        niceness += more
        return niceness

    settings.WORKER_NICENESS = 15
    monkeypatch.setenv(SPARE, spare)
    monkeypatch.setattr(os, "nice", nice)
    monkeypatch.setattr(worker, "warm_up_jobs", lambda: seen.append(niceness))
    monkeypatch.setattr(Command, "handle", lambda self: seen.append(niceness))
    with (
        patch.object(worker.Command, "check"),
        patch.object(worker, "wait_until_needed"),
        patch.object(worker, "replay_erasures"),
        patch.object(worker, "set_session_niceness"),
    ):
        worker.Command().handle()

    assert seen == [loads_at, 15]
