"""Worker processes with the product's own handlers: they learn what is queued, and killed at random they learn it
once (M-13, M-15, M-41).
"""

from __future__ import annotations

from itertools import islice

import pytest
from django.db import connection

from bench import evolution_throughput, learning_kills

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def test_workers_killed_while_they_learn_lose_no_message_and_learn_none_twice() -> None:
    outcome = learning_kills.run(_database(), 12, kill_every=0.2, most_kills=15)

    assert outcome.kills > 0
    assert (outcome.lost, outcome.doubled, outcome.unaccounted) == (0, 0, 0)
    assert outcome.learned + outcome.gave_up == outcome.learned_in_the_end == 12


def test_the_cluster_learns_whatever_waits_for_it_and_each_correction_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution_throughput, "CORRECTIONS", 1)
    texts = islice(evolution_throughput.statements(), 30)

    assert evolution_throughput.learned(_database(), texts, workers=1)["messages"] == 30
    assert len(evolution_throughput.corrections(_database())) == 2
