"""What was noted of somebody's words is taken back by one click: never true, never in use, until an undo."""

from __future__ import annotations

import pytest

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.indexing.visibility import past_messages
from memory.learning.message_learning import message_learning
from memory.models import MemoryItem
from memory.services import item_decisions, items
from memory.services.history import undo
from tests.memory.evolution.support import actions, believed, recallable
from tests.support.cast import allow
from tests.support.talk import memories, open_session, permit_of, say


@pytest.fixture
def noted(alice: User) -> MemoryItem:
    """What Alice's only message taught."""
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    (item,) = memories(alice)
    return item


pytestmark = pytest.mark.django_db(transaction=True)


def test_nobody_else_takes_it_back(charlie: User, noted: MemoryItem) -> None:
    stranger = allow(charlie)
    with acting_as(charlie.pk), pytest.raises(NotFound):
        item_decisions.withdraw_memory(stranger, noted.pk)


def test_not_under_a_consent_that_ended_or_changed(alice: User, noted: MemoryItem) -> None:
    stale = permit_of(alice)
    without = allow(alice, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(alice.pk):
        with pytest.raises(ConsentOutdated):
            item_decisions.withdraw_memory(stale, noted.pk)
        with pytest.raises(ConsentScopeMissing):
            item_decisions.withdraw_memory(without, noted.pk)


def test_neither_what_was_kept_by_hand_nor_what_was_changed_since(alice: User, noted: MemoryItem) -> None:
    permit = permit_of(alice)
    with acting_as(alice.pk):
        stated = item_decisions.add_stated(permit, "Owns a boat")
        confirmed = items.confirm(permit, noted.pk)
        for item in (stated, confirmed):
            with pytest.raises(ValidationFailed):
                item_decisions.withdraw_memory(permit, item.pk)
    assert believed(alice) == {"Owns a boat", "Follows BTC"}


def test_it_is_in_no_search_until_the_undo(alice: User, noted: MemoryItem) -> None:
    permit = permit_of(alice)
    with acting_as(alice.pk):
        item_decisions.withdraw_memory(permit, noted.pk)
    assert believed(alice) == recallable(alice) == set()
    with acting_as(alice.pk):
        assert undo(permit, noted.pk).pk == noted.pk
        assert actions(permit, noted) == ["added", "rejected", "undone"]
    assert believed(alice) == recallable(alice) == {"Follows BTC"}


def test_its_message_teaches_it_no_second_time_and_a_new_one_does(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (message,) = say(alice, session, "I follow BTC")
    (item,) = memories(alice)
    with acting_as(alice.pk):
        item_decisions.withdraw_memory(permit_of(alice), item.pk)
        assert past_messages(alice.pk, [message.pk]) == {message.pk}
    say(alice, session, "I follow BTC")
    assert believed(alice) == {"Follows BTC"}


def test_what_else_the_message_taught_stays_and_is_found(alice: User) -> None:
    allow(alice)
    (message,) = say(alice, open_session(alice), "I follow BTC. I live in Hamburg. I have two kids.")
    everything = believed(alice)
    with acting_as(alice.pk):
        first, *others = message_learning(permit_of(alice), message).changes
        assert others
        item_decisions.withdraw_memory(permit_of(alice), first.memory_id)
        standing = [change.standing for change in message_learning(permit_of(alice), message).changes]
    assert standing == ["left_out", *("in_force" for _ in others)]
    assert believed(alice) == recallable(alice) == everything - {first.content}
