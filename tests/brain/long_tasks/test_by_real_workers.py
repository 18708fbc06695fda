"""Worker processes killed at random: a task of any kind ends once, made one thing, and its end was told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from bench import long_tasks
from bench.long_tasks import LongTasksOutcome

KEPT = LongTasksOutcome(
    tasks=200, kinds=3, workers=2, kills=90, attempts=290, completed=178, cancelled=20, failed=2, lost=0, doubled=0,
    empty_handed=0, silent=0, seconds=1.0,
)  # fmt: skip


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_none_is_lost_doubled_or_silent() -> None:
    outcome = long_tasks.run(str(connection.settings_dict["NAME"]), 5, kill_every=0.2)

    assert (outcome.tasks, outcome.kinds) == (5, 3)
    assert (outcome.lost, outcome.doubled, outcome.empty_handed, outcome.silent) == (0, 0, 0, 0)
    assert outcome.completed > 0


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"lost": 1}, False),
        ({"doubled": 1}, False),
        ({"empty_handed": 1}, False),
        ({"silent": 1}, False),
        ({"completed": 0, "failed": 180}, False),
    ],
)
def test_it_holds_only_where_every_promise_was_kept(fields: dict[str, Any], holds: bool) -> None:
    assert replace(KEPT, **fields).holds is holds
