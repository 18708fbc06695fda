"""What is doubtful waits for its person: recalled by nobody, accepted or rejected in one step (M-13)."""

from __future__ import annotations

import pytest
from django.utils import timezone

from consent.exceptions import ConsentScopeMissing
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.models import MemoryItem
from memory.services import item_decisions, item_queries, items
from memory.services.history import undo
from tests.memory.evolution.support import actions, believed, changes, draft, recallable
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.talk import memories, open_session, permit_of, say

BOTH = pytest.mark.parametrize("decide", [items.accept, item_decisions.reject])


def _set_aside(user: User, content: str = "Lives in Berlin") -> MemoryItem:
    with acting_as(user.pk):
        return add_item(permit_of(user), draft(content, confidence=0.3, quarantined=True))


@BOTH
def test_nobody_else_decides(alice: User, charlie: User, decide: object) -> None:
    allow(alice)
    item = _set_aside(alice)
    stranger = allow(charlie)
    with acting_as(charlie.pk):
        assert not item_queries.review_queue(stranger).exists()
        with pytest.raises(NotFound):
            decide(stranger, item.pk)  # type: ignore[operator]


@BOTH
def test_nothing_is_decided_without_the_learning_scope(alice: User, decide: object) -> None:
    allow(alice)
    item = _set_aside(alice)
    without = allow(alice, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(alice.pk):
        assert not item_queries.review_queue(without).exists()
        with pytest.raises(ConsentScopeMissing):
            decide(without, item.pk)  # type: ignore[operator]


@BOTH
def test_what_does_not_wait_cannot_be_decided_upon(alice: User, decide: object) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        with pytest.raises(ValidationFailed, match="needs no decision"):
            decide(permit, item.pk)  # type: ignore[operator]


@pytest.mark.parametrize("text", ["Maybe I live in Berlin", "我可能住在北京", "I think I prefer tea", "我也许喜欢茶"])
def test_a_supposition_is_set_aside_and_not_recalled(alice: User, text: str) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), text)
    with acting_as(alice.pk):
        [item] = item_queries.review_queue(permit)
        assert (item.state, item.confidence) == ("quarantined", 0.3)
        assert actions(permit, item) == ["added", "quarantined"]
        assert not MemoryItem.objects.believed(timezone.now(), timezone.now()).exists()
    assert believed(alice) == recallable(alice) == set()


@pytest.mark.parametrize(
    ("known", "supposed"), [("I live in Berlin", "Maybe I live in Hamburg"), ("我住在北京", "我可能住在上海")]
)
def test_a_supposition_puts_nothing_away(alice: User, known: str, supposed: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, known)
    before = believed(alice)
    say(alice, session, supposed)
    assert believed(alice) == recallable(alice) == before
    assert {item.state for item in memories(alice)} == {"active", "quarantined"}


def test_what_is_accepted_is_in_use_as_told_by_its_person(alice: User) -> None:
    permit = allow(alice)
    item = _set_aside(alice)
    with acting_as(alice.pk):
        accepted = items.accept(permit, item.pk)
        assert (accepted.pk, accepted.state, accepted.provenance) == (item.pk, "active", "confirmed_by_user")
        assert accepted.confidence == pytest.approx(0.9)
        assert not item_queries.review_queue(permit).exists()
    assert recallable(alice) == {"Lives in Berlin"}


def test_what_is_rejected_is_never_used_and_was_never_believed(alice: User) -> None:
    permit = allow(alice)
    item = _set_aside(alice)
    between = timezone.now()
    with acting_as(alice.pk):
        assert item_decisions.reject(permit, item.pk).state == "invalid"
        assert not MemoryItem.objects.believed(between, between).exists()
    assert believed(alice) == recallable(alice) == set()


@pytest.mark.parametrize(
    ("known", "supposed", "stands"),
    [
        ("I live in Berlin", "Maybe I live in Hamburg", {"Lives in Hamburg"}),
        ("我住在北京", "我可能住在上海", {"住在上海"}),
        ("I like tea", "Maybe I like coffee", {"Likes tea", "Likes coffee"}),
    ],
)
def test_what_is_accepted_takes_the_place_of_what_contradicts_it_until_that_is_undone(
    alice: User, known: str, supposed: str, stands: set[str]
) -> None:
    permit = allow(alice)
    session = open_session(alice)
    say(alice, session, known)
    before = believed(alice)
    say(alice, session, supposed)
    with acting_as(alice.pk):
        [item] = item_queries.review_queue(permit)
        items.accept(permit, item.pk)
    assert believed(alice) == recallable(alice) == stands

    with acting_as(alice.pk):
        assert undo(permit, item.pk).state == "quarantined"
    assert believed(alice) == recallable(alice) == before


def test_a_memory_that_was_put_away_tells_by_what(alice: User) -> None:
    permit = allow(alice)
    session = open_session(alice)
    say(alice, session, "I live in Berlin", "Maybe I live in Hamburg")
    with acting_as(alice.pk):
        [item] = item_queries.review_queue(permit)
        items.accept(permit, item.pk)
        old = MemoryItem.objects.get(attributes__value="Berlin")
        assert (old.state, old.superseded_by_id) == ("superseded", item.pk)
        assert actions(permit, old) == ["added", "accepted"]


def test_to_confirm_what_waits_is_to_accept_it(alice: User) -> None:
    permit = allow(alice)
    item = _set_aside(alice)
    with acting_as(alice.pk):
        assert items.confirm(permit, item.pk).pk == item.pk
        assert actions(permit, item)[-1] == "accepted"


def test_said_on_purpose_what_waits_is_accepted(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "Maybe I live in Berlin")
    say(alice, session, "Remember that I live in Berlin")
    assert believed(alice) == {"Lives in Berlin"}
    assert [change.action for change in changes(alice)] == ["added", "quarantined", "accepted"]


@BOTH
def test_a_decision_is_taken_back(alice: User, decide: object) -> None:
    permit = allow(alice)
    item = _set_aside(alice)
    with acting_as(alice.pk):
        decide(permit, item.pk)  # type: ignore[operator]
        again = undo(permit, item.pk)
        assert (again.state, again.provenance, again.confidence) == ("quarantined", "observation", 0.3)
        assert [waiting.pk for waiting in item_queries.review_queue(permit)] == [item.pk]
    assert recallable(alice) == set()
