"""Ordinary use is on target in every gauge; a planted fault turns its own gauge, and none beside it.

The small version of ``python -m bench.simulated_month``.
"""

from __future__ import annotations

import pytest

from bench.simulated_month.faults import FAULTS, PlantedFault
from bench.simulated_month.history import DAY, FIRST_DAY, SimulatedMonth, make_people
from bench.simulated_month.observed_turns import observe_turns
from bench.simulated_month.watch import run_month


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(FAULTS[3:4], id="one fault"),
        pytest.param(FAULTS, marks=[pytest.mark.proof, pytest.mark.timeout(900)], id="every fault"),
    ],
)
@pytest.mark.django_db
def test_a_healthy_month_is_on_target_and_each_fault_turns_its_own_gauge(planted: tuple[PlantedFault, ...]) -> None:
    turns = observe_turns(FIRST_DAY - 30 * DAY)

    outcome = run_month(SimulatedMonth(make_people(6), turns, days=2, turns_a_day=110, fault_days=1), planted)

    assert [fault.complaints() for fault in outcome.faults] == [[] for _ in planted]
    assert outcome.complaints() == []
