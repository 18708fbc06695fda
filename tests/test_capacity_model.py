"""The plan of machines follows from measured costs and named assumptions, as one would reckon it by hand."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bench.capacity_model import GIB, CapacityAssumptions, MeasuredCost, plan_capacity

COST = MeasuredCost(
    person_bytes=0, turn_bytes=GIB / 1_000_000, web_core_seconds=0.04, worker_core_seconds=0.02,
    database_core_seconds=0.01,
)  # fmt: skip
GIVEN = CapacityAssumptions(
    daily_share=0.5, daily_turns=864, peak_factor=2, history_days=100, utilisation=0.5, machine_cores=16,
    machine_disk_gib=1000, database_copies=3, smallest_web=2, core_month_price=10, disk_gib_month_price=0.1,
)  # fmt: skip


def test_a_hundred_thousand_people_by_hand() -> None:
    plan = plan_capacity(100_000, COST, GIVEN)

    assert plan.peak_turns_a_second == 100_000 * 0.5 * 864 / 86_400 * 2 == 1000
    assert plan.web_machines == 1000 * 0.04 / 8
    assert plan.worker_machines == 3  # 1000 × 0.02 / 8, begun machines are whole ones
    assert round(plan.data_gib) == 100_000 * 0.5 * 864 * 100 / 1_000_000
    assert plan.cells == 9  # 4,320 GiB in halves of disks of 1,000; the processors would ask for two
    assert plan.database_machines == 27
    assert round(plan.price_a_month) == (5 + 3 + 27) * 16 * 10 + 27 * 1000 * 0.1


def test_few_people_have_the_machines_that_stand_whatever_the_load_is() -> None:
    plan = plan_capacity(1, COST, replace(GIVEN, daily_turns=1))

    assert (plan.web_machines, plan.worker_machines, plan.cells, plan.database_machines) == (2, 1, 1, 3)


@given(st.integers(1, 10**8), st.integers(1, 10**8), st.floats(0.01, 1), st.floats(0.1, 1000), st.floats(0.05, 1))
def test_more_people_never_need_less(one: int, other: int, share: float, turns: float, utilisation: float) -> None:
    assumed = replace(GIVEN, daily_share=share, daily_turns=turns, utilisation=utilisation)
    few, many = (plan_capacity(people, COST, assumed) for people in sorted((one, other)))

    assert all(few.row[name] <= many.row[name] for name in few.row if name != "price a person")
