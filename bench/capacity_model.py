"""How many machines a number of people needs: measured figures of one machine, and assumptions that are named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

DAY_SECONDS: Final = 86_400
GIB: Final = 2**30


@dataclass(frozen=True)
class MeasuredCost:
    """What one person and one of their turns take here. ``core`` figures are of a core of the machine that measured."""

    person_bytes: float  # in the database with its indexes, before the first turn
    turn_bytes: float  # that each turn adds, receipts and search index included
    web_core_seconds: float  # a turn, without its model
    worker_core_seconds: float  # what is learned of a turn, without a model
    database_core_seconds: float  # PostgreSQL's part of both


@dataclass(frozen=True)
class CapacityAssumptions:
    """What no measurement here can know. Every field is an option of ``python -m bench.capacity``."""

    daily_share: float = 0.2  # of the people, who talk on a day
    daily_turns: float = 10.0  # of each of them
    peak_factor: float = 3.0  # turns a second in the busiest hour, over the day's mean
    history_days: float = 365.0  # of turns that are kept
    utilisation: float = 0.5  # of a machine's cores in the busiest hour
    machine_cores: float = 16.0
    machine_disk_gib: float = 2_000.0  # usable, of a database machine; half is left for bloat, WAL and rebuilt indexes
    database_copies: float = 3.0  # a primary and two standbys
    smallest_web: float = 2.0  # machines that stand whatever the load is
    core_month_price: float = 20.0  # in any currency
    disk_gib_month_price: float = 0.1


@dataclass(frozen=True)
class CapacityPlan:
    """Machines and their price a month. A cell is a primary with its standbys, which serves people of its own."""

    people: int
    peak_turns_a_second: float
    data_gib: float  # of one copy
    web_machines: int
    worker_machines: int
    cells: int
    database_machines: int
    price_a_month: float

    @property
    def row(self) -> Mapping[str, float]:
        """As a row of a table."""
        return {
            "turns a second": self.peak_turns_a_second, "data GiB": self.data_gib, "web": self.web_machines,
            "workers": self.worker_machines, "cells": self.cells, "database": self.database_machines,
            "price a month": self.price_a_month, "price a person": self.price_a_month / self.people,
        }  # fmt: skip


def plan_capacity(people: int, cost: MeasuredCost, given: CapacityAssumptions) -> CapacityPlan:
    """The machines that so many people need in their busiest hour, at the end of the kept history."""
    turns_a_day = people * given.daily_share * given.daily_turns
    peak = turns_a_day / DAY_SECONDS * given.peak_factor
    data_gib = stored_bytes(people, turns_a_day * given.history_days / people, cost) / GIB
    usable_cores = given.machine_cores * given.utilisation
    web = max(given.smallest_web, ceil(peak * cost.web_core_seconds / usable_cores))
    workers = max(1, ceil(peak * cost.worker_core_seconds / usable_cores))
    cells = max(
        ceil(peak * cost.database_core_seconds / usable_cores), ceil(data_gib / (given.machine_disk_gib / 2)), 1
    )
    database = ceil(cells * given.database_copies)
    cores = (web + workers + database) * given.machine_cores
    price = cores * given.core_month_price + database * given.machine_disk_gib * given.disk_gib_month_price
    return CapacityPlan(people, peak, data_gib, int(web), workers, cells, database, price)


def stored_bytes(people: float, turns_a_person: float, cost: MeasuredCost) -> float:
    """What so many people take in one copy of the database."""
    return people * (cost.person_bytes + turns_a_person * cost.turn_bytes)
