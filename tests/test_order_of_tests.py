"""Several processes that share the tests begin with the long ones, so that they end together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.order import dealt


@dataclass(frozen=True)
class Test:
    """What the order asks of a collected test."""

    __test__ = False

    nodeid: str
    marker: str = ""

    def get_closest_marker(self, name: str) -> bool:
        return name == self.marker


def _order(tests: list[Test], processes: int) -> list[Test]:
    return cast("list[Test]", dealt(cast("list[pytest.Item]", tests), processes))


def _tests(module: str, number: int, marker: str = "") -> list[Test]:
    return [Test(f"{module}::{each}", marker) for each in range(number)]


def test_each_process_begins_with_whole_folders_of_long_tests() -> None:
    quick, browser, more_of_it, workers, proof = (
        _tests("quick/all.py", 7),
        _tests("browser/one.py", 1, "browser"),
        _tests("browser/other.py", 1, "browser"),
        _tests("workers/all.py", 2, "workers"),
        _tests("proof/all.py", 1, "timeout"),
    )

    assert _order([*quick, *browser, *proof, *more_of_it, *workers], 2) == [
        *browser, *more_of_it, *workers, *quick[:2], *proof, *quick[2:],
    ]  # fmt: skip


def test_of_three_processes_one_takes_quick_tests_while_the_others_wait() -> None:
    quick, browser, workers = (
        _tests("quick/all.py", 5),
        _tests("browser/all.py", 2, "browser"),
        _tests("workers/all.py", 2, "workers"),
    )

    assert _order([*quick, *browser, *workers], 3) == [
        *browser, *quick[:1], *workers, *quick[1:2], *quick[2:],
    ]  # fmt: skip


@given(
    markers=st.lists(st.sampled_from(["", "browser", "workers", "timeout", "django_db"]), max_size=30),
    processes=st.integers(2, 5),
)
def test_no_test_is_lost_or_doubled(markers: list[str], processes: int) -> None:
    tests = [Test(f"folder{number // 3}/module.py::{number}", marker) for number, marker in enumerate(markers)]

    assert sorted(_order(tests, processes), key=repr) == sorted(tests, key=repr)
