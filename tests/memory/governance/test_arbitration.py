"""Which of two contradicting statements stands, and what a model may say to it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from memory.evolution.comparison import ComparableItem
from memory.governance.arbitration import Verdict, final_verdicts, find_conflicts
from memory.governance.model_arbitration import expected_verdicts
from tests.support.cast import A_MONDAY

LATER = A_MONDAY + timedelta(days=30)


def _statement(value: str, **fields: Any) -> ComparableItem:
    given: dict[str, Any] = {
        "id": uuid4(),
        "group_id": None,
        "subject": "user",
        "slot": "home",
        "value": value,
        "provenance": "observation",
        "confidence": 0.5,
        "valid_at": A_MONDAY,
    }
    return ComparableItem(**(given | fields))


@pytest.mark.parametrize(
    ("stands", "falls"),
    [
        ({"valid_at": LATER}, {}),
        ({"provenance": "analysis"}, {"valid_at": LATER}),
        ({"provenance": "confirmed_by_user"}, {"provenance": "analysis", "valid_at": LATER}),
        ({"provenance": "confirmed_by_user", "valid_at": LATER}, {"provenance": "confirmed_by_user"}),
    ],
)
def test_the_higher_provenance_wins_and_among_equals_the_newer(stands: dict[str, Any], falls: dict[str, Any]) -> None:
    winner, loser = _statement("Berlin", **stands), _statement("Hamburg", **falls)
    for order in ([winner, loser], [loser, winner]):
        [found] = find_conflicts(order)
        assert (found.winner, found.losers) == (winner, (loser,))


@pytest.mark.parametrize(
    "beside",
    [
        {"value": "Berlin, Germany"},  # says more, contradicts nothing
        {"value": "Hamburg", "slot": "employer"},
        {"value": "Hamburg", "subject": "sister"},
        {"value": "Hamburg", "subject": ""},
        {"value": "Hamburg", "slot": ""},
        {"value": "!"},
    ],
)
def test_without_the_same_subject_and_slot_or_with_the_same_value_nothing_contradicts(beside: dict[str, Any]) -> None:
    assert find_conflicts([_statement("Berlin"), _statement(**beside)]) == []


def test_several_values_stand_side_by_side_where_a_slot_holds_several() -> None:
    assert find_conflicts([_statement("BTC", slot="follows"), _statement("ETH", slot="follows")]) == []


def test_liking_contradicts_disliking_the_same_thing_only() -> None:
    likes, dislikes = _statement("the beach", slot="likes"), _statement("beach", slot="dislikes", valid_at=LATER)
    other = _statement("mountains", slot="dislikes")
    [found] = find_conflicts([likes, dislikes, other])
    assert (found.winner, found.losers) == (dislikes, (likes,))


@pytest.mark.parametrize(("a", "b"), [("conservative", "not conservative"), ("保守", "不保守"), ("10%", "20%")])
def test_a_denial_and_another_number_are_contradictions(a: str, b: str) -> None:
    assert len(find_conflicts([_statement(a, slot="risk"), _statement(b, slot="risk")])) == 1


@pytest.mark.parametrize("verdict", ["keep", "merge", "retire"])
def test_a_model_may_spare_a_loser_or_agree_and_never_touches_the_winner(verdict: Verdict) -> None:
    [conflict] = find_conflicts([_statement("Berlin", valid_at=LATER), _statement("Hamburg")])
    loser = conflict.losers[0].id
    assert final_verdicts(conflict, {loser: verdict, conflict.winner.id: "retire"}) == {loser: verdict}


def test_without_a_word_from_a_model_the_rule_retires_the_loser() -> None:
    [conflict] = find_conflicts([_statement("Berlin", valid_at=LATER), _statement("Hamburg")])
    assert final_verdicts(conflict, {}) == {conflict.losers[0].id: "retire"}


def test_no_words_pass_from_one_group_to_another() -> None:
    [conflict] = find_conflicts([_statement("Berlin", valid_at=LATER), _statement("Hamburg", group_id=uuid4())])
    loser = conflict.losers[0].id
    assert final_verdicts(conflict, {loser: "merge"}) == {loser: "retire"}


def test_what_a_model_says_of_anything_else_is_not_heard() -> None:
    asked: dict[UUID, Verdict] = {uuid4(): "retire"}
    answers = [{"memory_id": str(uuid4()), "verdict": "retire"}, {"memory_id": "all of them", "verdict": "retire"}]
    assert expected_verdicts(answers, asked) == {}
    [mine] = asked
    assert expected_verdicts([*answers, {"memory_id": str(mine), "verdict": "keep"}], asked) == {mine: "keep"}
