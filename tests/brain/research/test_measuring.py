"""The proof under killed workers promises what it says: tasks that nobody cancelled are done (B-9). No database."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from bench.research_tasks import ResearchTaskResult, _broken_off

TASK = UUID(int=7)
KEPT = ResearchTaskResult(
    tasks=50, workers=2, kills=30, attempts=70, completed=38, cancelled=10, failed=2, shown=20, unfinished=0, doubled=0,
    empty_handed=0, unexplained=0, broken_off=0, without_context=0, seconds=1.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"completed": 0, "cancelled": 0, "failed": 50}, False),
        ({"broken_off": 1}, False),
        ({"unfinished": 1}, False),
        ({"shown": 0}, False),
    ],
)
def test_it_holds_only_where_every_promise_was_kept(fields: dict[str, Any], holds: bool) -> None:
    assert replace(KEPT, **fields).holds is holds


@pytest.mark.parametrize(
    ("state", "code", "cancelled", "killed", "broken_off"),
    [
        ("completed", "", False, False, False),
        ("completed", "", True, False, False),  # asked for too late
        ("cancelled", "", True, False, False),
        ("cancelled", "", False, False, True),
        ("failed", "task_lost", False, True, False),
        ("failed", "task_lost", False, False, True),
        ("failed", "internal_error", False, True, True),
        ("failed", "internal_error", False, False, True),
        ("failed", "internal_error", True, False, True),
    ],
)
def test_a_task_may_fail_only_where_its_workers_were_killed_to_its_last_attempt(
    state: str, code: str, cancelled: bool, killed: bool, broken_off: bool
) -> None:
    task: Any = SimpleNamespace(pk=TASK, state=state, error_code=code)

    assert _broken_off(task, {TASK} if cancelled else (), {TASK} if killed else ()) is broken_off
