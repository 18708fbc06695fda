"""Every change of a memory is written down: what, by whom, by which rule, on what grounds; and no text (M-16)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.services import history, item_decisions, items
from tests.memory.evolution.support import actions, changes, draft
from tests.support.cast import A_MONDAY, allow
from tests.support.items import add_item
from tests.support.talk import memories, open_session, say


def test_nobody_else_sees_what_happened_to_a_memory(alice: User, charlie: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        assert actions(permit, item) == ["added"]
    stranger = allow(charlie)
    with acting_as(charlie.pk):
        assert actions(stranger, item) == []


def test_without_the_learning_scope_nothing_is_told(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
    without = allow(alice, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(alice.pk):
        assert actions(without, item) == []


def test_each_door_records_its_change(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        first = add_item(permit, draft())
        second = items.supersede(permit, first, draft("Lives in Hamburg", valid_at=A_MONDAY + timedelta(days=1)))
        third = items.confirm(permit, second.pk)
        fourth = item_decisions.correct(permit, third.pk, "Lives in Bremen")
        items.retire(permit, fourth, at=fourth.valid_at, rule="test")
        told = item_decisions.add_stated(permit, "My boat lies in Kiel.")
        assert actions(permit, fourth) == ["added", "superseded", "confirmed", "corrected", "retired"]
        assert actions(permit, told) == ["added"]
    by_action = {change.action: change for change in changes(alice)}
    assert {name: one.actor for name, one in by_action.items() if name != "added"} == {
        "superseded": "pipeline",
        "confirmed": "person",
        "corrected": "person",
        "retired": "pipeline",
    }
    assert by_action["superseded"].inputs["previous"] == str(first.pk)
    assert {change.consent_version for change in by_action.values()} == {permit.version}


@pytest.mark.parametrize(
    ("first", "then", "rule"),
    [("I live in Berlin", "I now live in Hamburg", "en."), ("我住在北京", "我现在住在上海", "zh.")],
)
def test_what_was_learned_from_conversation_names_its_rule(alice: User, first: str, then: str, rule: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    say(alice, session, then)
    recorded = changes(alice)
    assert [change.action for change in recorded] == ["added", "superseded"]
    assert all(change.actor == "pipeline" and change.rule.startswith(rule) for change in recorded)


def test_a_memory_said_again_on_purpose_keeps_every_message_it_came_from(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    [first] = say(alice, session, "I like Sichuan food")
    [second] = say(alice, session, "Remember that I like Sichuan food")
    [_, confirmed] = memories(alice)
    assert confirmed.provenance == "confirmed_by_user"
    assert confirmed.provenance_detail["message_ids"] == [str(first.pk), str(second.pk)]
    assert [change.action for change in changes(alice)] == ["added", "confirmed"]
    assert changes(alice)[-1].actor == "pipeline"


def test_no_words_stand_in_a_record(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = item_decisions.add_stated(permit, "My villa stands in Zanzibar.")
        item = item_decisions.correct(
            permit, item.pk, "My villa stands near Zanzibar.", reason="Zanzibar town is too loud"
        )
        history.undo(permit, item.pk)
    for change in changes(alice):
        assert "Zanzibar" not in f"{change.inputs}{change.before}{change.after}{change.rule}"
