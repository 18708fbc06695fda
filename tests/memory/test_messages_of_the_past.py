"""A message stands in search as past once something it taught holds no more, and as it was when that is undone."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.utils import timezone

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.governance.consolidation import merge
from memory.models import MemoryItem
from memory.retrieval.services import search
from memory.services import item_decisions, items, versions
from memory.services.history import Action, apply_change, undo
from memory.types import SearchHit, SearchQuery
from tests.memory.evolution.support import draft
from tests.support.cast import A_MONDAY, allow
from tests.support.items import add_item
from tests.support.talk import memories, open_session, permit_of, say

PAIRS = [("I live in Berlin.", "I moved to Lisbon.", "Where do I live, Berlin or Lisbon?"),
         ("我住在上海。", "我搬到杭州了。", "我住在上海还是杭州？")]  # fmt: skip


def turns(user: User, text: str, **query: object) -> dict[str, bool]:
    """The messages found, each with whether it is past."""
    with acting_as(user.pk):
        found = search(permit_of(user), SearchQuery(text, ("turn",), **query))  # type: ignore[arg-type]
    return {hit.text: hit.is_past for hit in found.hits}


def taught_by(message: UUID, content: str = "Lives in Berlin", **changes: object) -> object:
    return draft(content, detail={"rule": "test", "message_ids": [str(message)]}, **changes)


@pytest.mark.parametrize(("before", "after", "question"), PAIRS)
def test_what_a_correction_replaced_is_found_only_on_request_and_marked(
    alice: User, before: str, after: str, question: str
) -> None:
    allow(alice)
    say(alice, open_session(alice), before)
    assert turns(alice, question) == {before: False}
    say(alice, open_session(alice), after)
    assert before not in turns(alice, question)
    assert turns(alice, question, with_past=True)[before] is True
    assert turns(alice, question, with_past=True)[after] is False


@pytest.mark.parametrize(("before", "after", "question"), PAIRS)
def test_so_is_what_only_said_it_again(alice: User, before: str, after: str, question: str) -> None:
    allow(alice)
    for text in (before, f"{before} OK.", after):
        say(alice, open_session(alice), text)
    assert turns(alice, question) == {after: False}
    assert turns(alice, question, with_past=True) == {before: True, f"{before} OK.": True, after: False}


@pytest.mark.parametrize(("before", "after", "question"), PAIRS)
def test_a_question_about_the_past_finds_what_held_then(alice: User, before: str, after: str, question: str) -> None:
    allow(alice)
    say(alice, open_session(alice), before, at=A_MONDAY)
    say(alice, open_session(alice), after)
    with acting_as(alice.pk):
        found = search(
            permit_of(alice), SearchQuery(question, ("item",), valid_at=A_MONDAY, known_at=timezone.now())
        ).hits
    [hit] = found
    assert hit.is_past
    assert [item.pk for item in memories(alice, superseded_at__isnull=False)] == [hit.id]


def _corrected(permit: Permit, item: MemoryItem) -> None:
    item_decisions.correct(permit, item.pk, "Lives in Hamburg")


def _retired(permit: Permit, item: MemoryItem) -> None:
    items.retire(permit, item, at=timezone.now())


def _make_outdated(permit: Permit, item: MemoryItem) -> None:
    with versions.learning_transaction(permit):
        apply_change(permit, item, Action.OUTDATED, "governor", "decay", inputs={}, epistemic_type="outdated")


@pytest.mark.parametrize("ends", [_corrected, _retired])
def test_an_undo_brings_the_message_back(alice: User, ends: Callable[[Permit, MemoryItem], None]) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    [item] = memories(alice)
    with acting_as(alice.pk):
        ends(permit_of(alice), item)
    assert turns(alice, "Berlin") == {}
    with acting_as(alice.pk):
        undo(permit_of(alice), item.pk)
    assert turns(alice, "Berlin") == {"I live in Berlin.": False}


def test_what_is_confirmed_is_only_said_anew(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    [item] = memories(alice)
    with acting_as(alice.pk):
        confirmed = items.confirm(permit_of(alice), item.pk)
    assert turns(alice, "Berlin") == {"I live in Berlin.": False}
    with acting_as(alice.pk):
        undo(permit_of(alice), confirmed.pk)
    assert turns(alice, "Berlin") == {"I live in Berlin.": False}


def _merged(alice: User, permit: Permit) -> MemoryItem:
    """Two messages taught the same, and upkeep merged it."""
    one, other = say(alice, open_session(alice), "Berlin it is", "Berlin, Mitte it is")
    with acting_as(alice.pk):
        sources = [
            add_item(permit, taught_by(message.pk, content))  # type: ignore[arg-type]
            for message, content in ((one, "Lives in Berlin"), (other, "Lives in Berlin, Mitte"))
        ]
        with versions.learning_transaction(permit):
            return merge(permit, sources, rule="test")


def test_merged_memories_leave_their_messages_as_they_are(alice: User) -> None:
    permit = allow(alice)
    merged = _merged(alice, permit)
    assert turns(alice, "Berlin") == {"Berlin it is": False, "Berlin, Mitte it is": False}
    with acting_as(alice.pk):
        undo(permit, merged.pk)
    assert turns(alice, "Berlin") == {"Berlin it is": False, "Berlin, Mitte it is": False}


def test_what_upkeep_finds_out_of_date_makes_its_message_past_until_it_is_renewed(alice: User) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    [item] = memories(alice)
    with acting_as(alice.pk), versions.learning_transaction(permit):
        versions.change_fields(item, epistemic_type="outdated")
    assert turns(alice, "Berlin", with_past=True) == {"I live in Berlin.": True}
    with acting_as(alice.pk), versions.learning_transaction(permit):
        versions.change_fields(item, epistemic_type="fact")
    assert turns(alice, "Berlin") == {"I live in Berlin.": False}


def test_what_was_out_of_date_brings_its_message_back_once_it_is_confirmed(alice: User) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    [item] = memories(alice)
    with acting_as(alice.pk):
        _make_outdated(permit, item)
        assert turns(alice, "Berlin") == {}
        items.confirm(permit, item.pk)
    assert turns(alice, "Berlin") == {"I live in Berlin.": False}


def test_merged_memories_that_are_confirmed_and_renewed_leave_their_messages_as_they_are(alice: User) -> None:
    permit = allow(alice)
    merged = _merged(alice, permit)
    with acting_as(alice.pk):
        confirmed = items.confirm(permit, merged.pk)
        _make_outdated(permit, confirmed)
        assert turns(alice, "Berlin") == {}
        undo(permit, confirmed.pk)
    assert turns(alice, "Berlin") == {"Berlin it is": False, "Berlin, Mitte it is": False}


def test_a_message_stays_past_while_anything_else_it_taught_is(alice: User) -> None:
    permit = allow(alice)
    [message] = say(alice, open_session(alice), "Berlin, and tea")
    with acting_as(alice.pk):
        home = add_item(permit, taught_by(message.pk))  # type: ignore[arg-type]
        tea = add_item(
            permit,
            taught_by(message.pk, "Likes tea", attributes={"subject": "user", "slot": "likes", "value": "tea"}),  # type: ignore[arg-type]
        )
        for item in (home, tea):
            items.retire(permit, item, at=timezone.now())
        undo(permit, tea.pk)
    assert turns(alice, "Berlin", with_past=True) == {"Berlin, and tea": True}
    with acting_as(alice.pk):
        undo(permit, home.pk)
    assert turns(alice, "Berlin") == {"Berlin, and tea": False}


@pytest.mark.parametrize(
    ("newer", "older", "question"),
    [
        ("I live in Lisbon.", "I live in Berlin.", "Where do I live, Berlin or Lisbon?"),
        ("I like jazz.", "I hate jazz.", "What about jazz?"),
        ("我住在杭州。", "我住在上海。", "我住在上海还是杭州？"),
        ("我喜欢爵士乐。", "我讨厌爵士乐。", "我喜欢爵士乐吗？"),
    ],
)
def test_what_was_handed_in_after_something_newer_is_past_at_once(
    alice: User, newer: str, older: str, question: str
) -> None:
    allow(alice)
    say(alice, open_session(alice), newer)
    [known] = memories(alice)
    say(alice, open_session(alice), older, at=A_MONDAY)
    assert memories(alice) == [known]
    assert turns(alice, question) == {newer: False}
    assert turns(alice, question, with_past=True) == {newer: False, older: True}


@pytest.mark.parametrize("older", ["I live in Berlin.", "I like tea.", "Good morning, Berlin."])
def test_of_something_else_or_of_the_same_it_stays_as_it_is(alice: User, older: str) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    say(alice, open_session(alice), older, at=A_MONDAY)
    assert turns(alice, "Berlin, tea")[older] is False


def test_an_item_found_names_its_slot_and_the_messages_it_was_learned_from(alice: User) -> None:
    allow(alice)
    [message] = say(alice, open_session(alice), "I live in Berlin.")
    with acting_as(alice.pk):
        [hit] = search(permit_of(alice), SearchQuery("Berlin", ("item",))).hits
    assert isinstance(hit, SearchHit)
    assert (hit.slot, hit.said_in, hit.is_past) == ("home", (message.pk,), False)


def test_more_terms_find_what_the_question_does_not_name(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    with acting_as(alice.pk):
        permit = permit_of(alice)
        plain = search(permit, SearchQuery("Which town?", ("item",), strategy="lexical")).hits
        [hit] = search(permit, SearchQuery("Which town?", ("item",), strategy="lexical", more_terms=("home",))).hits
    assert plain == ()
    assert hit.slot == "home"
