"""Worker processes with the product's own handlers, killed at random: every task ends, once, and says why (B-9)."""

from __future__ import annotations

import pytest
from django.db import connection

from bench import research_tasks

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]


def test_tasks_whose_workers_are_killed_end_once_with_their_reason_and_their_context() -> None:
    outcome = research_tasks.run(str(connection.settings_dict["NAME"]), 6, kill_every=0.2)

    assert outcome.kills > 0
    broken = (outcome.unfinished, outcome.doubled, outcome.empty_handed, outcome.unexplained, outcome.without_context)
    assert broken == (0, 0, 0, 0, 0)
    assert outcome.broken_off == 0
    assert outcome.completed > 0
    assert outcome.completed + outcome.cancelled + outcome.failed == 6
