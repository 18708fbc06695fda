"""What says the same, and what only sounds alike."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.text import tokenize
from memory.evolution.comparison import ComparableItem, is_core_of, is_same_statement
from memory.governance.similarity import find_clusters
from memory.governance.thresholds import Thresholds
from tests.support.cast import A_MONDAY

THRESHOLDS = Thresholds()
CLOSE = (1.0, 0.1)
FAR = (0.0, 1.0)


def _statement(value: str, vector: tuple[float, float] | None = CLOSE, **fields: Any) -> ComparableItem:
    given: dict[str, Any] = {
        "id": uuid4(),
        "group_id": None,
        "subject": "user",
        "slot": "home",
        "value": value,
        "provenance": "observation",
        "confidence": 0.5,
        "valid_at": A_MONDAY,
        "vector": None if vector is None else np.array(vector, dtype=np.float32),
        "model_id": "m",
    }
    return ComparableItem(**(given | fields))


def _words(text: str) -> frozenset[str]:
    return frozenset(tokenize(text))


@pytest.mark.parametrize(
    ("core", "whole", "expected"),
    [
        ("Berlin", "Berlin", True),
        ("Berlin", "Berlin, Germany", True),
        ("Berlin, Germany", "Berlin", False),
        ("Berlin", "Hamburg", False),
        ("aggressive", "not aggressive", False),
        ("leverage", "never leverage", False),
        ("portfolio", "20% portfolio", False),
        ("简约风", "简约风格的穿搭", True),
        ("吃辣", "不吃辣", False),
        ("吃肉", "沒吃肉", False),
        ("travel", "can't travel", False),
        ("spicy food", "hardly spicy food", False),
        ("", "Berlin", False),
    ],
)
def test_a_core_says_nothing_that_the_whole_does_not(core: str, whole: str, expected: bool) -> None:
    assert is_core_of(_words(core), _words(whole)) is expected


@given(st.frozensets(st.text("abcdef", min_size=1, max_size=4)), st.frozensets(st.text("abcdef", min_size=1)))
def test_saying_the_same_is_mutual(one: frozenset[str], other: frozenset[str]) -> None:
    assert is_same_statement(one, other) == is_same_statement(other, one)


def test_three_that_say_the_same_are_one_in_the_words_they_share() -> None:
    core = _statement("Berlin")
    [found] = find_clusters([_statement("Berlin, Germany"), core, _statement("city of Berlin")], THRESHOLDS)
    assert found.core == core
    assert len(found.members) == 3
    assert found.similarity == pytest.approx(1.0)


def test_two_are_left_alone() -> None:
    assert find_clusters([_statement("Berlin"), _statement("Berlin, Germany")], THRESHOLDS) == []


@pytest.mark.parametrize(
    "different",
    [
        {"vector": FAR},
        {"vector": None},
        {"slot": "employer"},
        {"subject": "sister"},
        {"subject": ""},
        {"slot": ""},
        {"group_id": UUID(int=1)},
        {"model_id": "another"},
        {"value": "Hamburg"},
        {"value": "not Berlin"},
        {"value": ""},
    ],
)
def test_a_third_that_differs_in_structure_or_meaning_is_not_joined(different: dict[str, Any]) -> None:
    third = _statement(**({"value": "Berlin"} | different))
    assert find_clusters([_statement("Berlin"), _statement("Berlin, Germany"), third], THRESHOLDS) == []


def test_a_wider_statement_never_joins_what_is_different() -> None:
    either = [_statement("Berlin Hamburg"), _statement("Berlin"), _statement("Hamburg")]
    assert find_clusters(either, THRESHOLDS) == []


@pytest.mark.parametrize(("slot", "joined"), [("likes", 1), ("allergy", 0), ("instruction", 0)])
def test_only_for_tastes_does_the_wider_value_stand_for_narrower_ones(slot: str, joined: int) -> None:
    values = ("peanut", "peanut butter", "roasted peanut")
    assert len(find_clusters([_statement(value, slot=slot) for value in values], THRESHOLDS)) == joined


def test_the_same_value_in_a_slot_of_many_is_joined_whatever_its_particles() -> None:
    values = ("the bullet points", "bullet points", "bullet point")
    [found] = find_clusters([_statement(value, slot="instruction") for value in values], THRESHOLDS)
    assert len(found.members) == 3


def test_what_its_person_confirmed_is_spoken_for_in_its_own_words_only() -> None:
    confirmed = _statement("Berlin, Germany", provenance="confirmed_by_user")
    rest = [_statement("Berlin"), _statement("Berlin"), _statement("city of Berlin")]
    [found] = find_clusters([confirmed, *rest], THRESHOLDS)
    assert confirmed not in found.members


def test_among_equals_the_confirmed_one_speaks() -> None:
    confirmed = _statement("Berlin", provenance="confirmed_by_user", valid_at=A_MONDAY - timedelta(days=9))
    [found] = find_clusters([_statement("Berlin"), confirmed, _statement("Berlin")], THRESHOLDS)
    assert found.core == confirmed


@pytest.mark.parametrize("later", [A_MONDAY, A_MONDAY + timedelta(days=1)])
def test_the_order_they_come_in_changes_nothing(later: datetime) -> None:
    given_ = [_statement("Berlin", valid_at=later), _statement("Berlin, Germany"), _statement("old Berlin")]
    forward, backward = find_clusters(given_, THRESHOLDS), find_clusters(given_[::-1], THRESHOLDS)
    assert [set(one.members) for one in forward] == [set(one.members) for one in backward]
    assert forward[0].core == backward[0].core
