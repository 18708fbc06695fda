"""Worker processes killed at random while they embed everything anew: each entry by one model, found all the while."""

from __future__ import annotations

import pytest
from django.db import connection

from bench import reembedding

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]


def test_workers_killed_while_they_embed_anew_lose_double_and_mix_nothing() -> None:
    database = str(connection.settings_dict["NAME"])
    outcome = reembedding.run(database, 300, kill_every=0.3, most_kills=8)

    assert outcome.kills > 0
    assert (outcome.lost, outcome.doubled, outcome.mixed, outcome.degraded) == (0, 0, 0, 0)
    assert outcome.most_jobs == 1
    assert outcome.gave_up < outcome.people  # the workers did it, not the one who looked afterwards
