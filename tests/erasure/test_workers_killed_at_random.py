"""Real workers, killed at random while they erase: nothing is lost, nothing is done twice, nothing is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from bench import erasure_kills

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]


def test_every_erasure_ends_completed_or_with_the_operators(settings: Settings, tmp_path: Path) -> None:
    settings.END_WAIT_SECONDS = settings.PORTRAIT_REMAKE_SECONDS = 0.0
    settings.ERASURE_JOURNAL = str(tmp_path / "journal.jsonl")
    database = str(connection.settings_dict["NAME"])
    outcome = erasure_kills.run(database, people=2, kill_every=0.4, most_kills=10)
    assert outcome.kills > 0
    assert (outcome.erasures, outcome.completed + outcome.escalated) == (10, 10)
    assert (outcome.lost, outcome.doubled, outcome.refused) == (0, 0, 0)
    assert (outcome.completed_in_the_end, outcome.words_left) == (10, 0)
