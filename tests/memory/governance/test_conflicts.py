"""Contradictions among open memories are settled by the rule, can be undone, and stay undone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.governance.arbitration import Verdict
from memory.governance.conflicts import contradictions, resolve
from memory.models import MemoryItem, SearchEntry
from memory.services import history
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import memories, permit_of
from tests.support.upkeep import as_of, changes, remember, reread

LATER = A_MONDAY + timedelta(days=30)


def _resolve(user: User, verdicts: dict[UUID, Verdict] | None = None) -> list[UUID]:
    with acting_as(user.pk):
        return resolve(permit_of(user), verdicts)


def _undo(user: User, item: MemoryItem) -> None:
    with acting_as(user.pk):
        history.undo(permit_of(user), item.pk)


def _berlin_then_hamburg(user: User, **first: Any) -> tuple[MemoryItem, MemoryItem]:
    old = remember(user, "Lives in Berlin", value="Berlin", **first)
    return old, remember(user, "Lives in Hamburg", value="Hamburg", valid_at=LATER)


@pytest.mark.parametrize(
    ("old", "new"),
    [(("Lives in Berlin", "Berlin"), ("Lives in Hamburg", "Hamburg")), (("住在北京", "北京"), ("住在上海", "上海"))],
)
def test_the_newer_of_two_equals_stands(alice: User, old: tuple[str, str], new: tuple[str, str]) -> None:
    allow(alice)
    loser = remember(alice, old[0], value=old[1])
    winner = remember(alice, new[0], value=new[1], valid_at=LATER)
    assert _resolve(alice) == [loser.pk]
    closed = reread(alice, loser.pk)
    assert (closed.state, closed.superseded_by_id, closed.invalid_at) == ("superseded", winner.pk, LATER)
    assert as_of(A_MONDAY + timedelta(days=1), alice) == [old[0]]
    assert as_of(LATER + timedelta(days=1), alice) == [new[0]]
    with acting_as(alice.pk):
        assert dict(SearchEntry.objects.values_list("pk", "live")) == {loser.pk: False, winner.pk: True}


def test_a_higher_provenance_stands_against_what_is_newer(alice: User) -> None:
    allow(alice)
    told, seen = _berlin_then_hamburg(alice, provenance="confirmed_by_user", confidence=0.9)
    assert _resolve(alice) == [seen.pk]
    assert as_of(LATER + timedelta(days=1), alice) == ["Lives in Berlin"]
    [event] = changes(alice, "resolved")
    assert (event.rule, event.inputs["winner"]) == ("conflict.provenance", str(told.pk))
    assert "Berlin" not in str([event.inputs, event.before, event.after])


def test_a_second_run_changes_nothing(alice: User) -> None:
    allow(alice)
    _berlin_then_hamburg(alice)
    assert len(_resolve(alice)) == 1
    assert _resolve(alice) == []
    assert len(changes(alice, "resolved")) == 1


def test_an_undo_opens_the_loser_as_it_was_and_it_stays_open(alice: User) -> None:
    allow(alice)
    loser, winner = _berlin_then_hamburg(alice)
    _resolve(alice)
    _undo(alice, loser)
    assert reread(alice, loser.pk) == loser
    assert {one.pk for one in memories(alice, superseded_at=None)} == {loser.pk, winner.pk}
    again = reread(alice, loser.pk)
    assert (again.state, again.invalid_at, again.superseded_by_id) == ("active", None, None)
    assert _resolve(alice) == []


def test_a_verdict_to_keep_both_changes_nothing_and_is_not_asked_again(alice: User) -> None:
    allow(alice)
    loser, _ = _berlin_then_hamburg(alice)
    assert _resolve(alice, {loser.pk: "keep"}) == []
    assert len(memories(alice, superseded_at=None)) == 2
    with acting_as(alice.pk):
        assert contradictions(permit_of(alice)) == []
    assert [event.rule for event in changes(alice, "resolved")] == ["conflict.keep"]


def test_a_verdict_to_merge_makes_one_of_both_which_can_be_parted_for_good(alice: User) -> None:
    allow(alice)
    loser, winner = _berlin_then_hamburg(alice)
    assert _resolve(alice, {loser.pk: "merge"}) == [loser.pk]
    [merged] = memories(alice, superseded_at=None)
    assert merged.content == "Lives in Hamburg"
    assert merged.provenance_detail["merged_from"] == [str(winner.pk), str(loser.pk)]
    _undo(alice, merged)
    assert {one.pk for one in memories(alice, superseded_at=None)} == {loser.pk, winner.pk}
    assert _resolve(alice) == []


def test_a_verdict_on_the_winner_or_on_anything_else_retires_nothing(alice: User) -> None:
    allow(alice)
    loser, winner = _berlin_then_hamburg(alice)
    fact = remember(alice, "Is allergic to peanuts", "allergy", "peanuts", epistemic_type="fact")
    assert _resolve(alice, {winner.pk: "retire", fact.pk: "retire", loser.pk: "keep"}) == []
    assert {reread(alice, one.pk).state for one in (winner, fact, loser)} == {"active"}


def test_what_no_verdict_was_asked_for_waits(alice: User) -> None:
    allow(alice)
    _berlin_then_hamburg(alice)
    assert _resolve(alice, {}) == []
    assert len(_resolve(alice)) == 1


@pytest.mark.parametrize("fields", [{"quarantined": True}, {"epistemic_type": "outdated"}])
def test_what_is_set_aside_or_out_of_date_contradicts_nobody(alice: User, fields: dict[str, Any]) -> None:
    allow(alice)
    _berlin_then_hamburg(alice, **fields)
    assert _resolve(alice) == []


def test_another_persons_word_contradicts_nobody(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    remember(alice, "Lives in Berlin", value="Berlin")
    theirs = remember(bob, "Lives in Hamburg", value="Hamburg", valid_at=LATER)
    assert _resolve(alice) == []
    assert reread(bob, theirs.pk).state == "active"
