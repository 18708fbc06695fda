"""A change in natural words: it takes the place of what it changes, or stands in conflict with it until settled."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from memory.evolution.change_target import LikelyTarget
from memory.evolution.slots import GATE, STATEMENT
from memory.evolution.types import StatementCandidate
from memory.indexing import services as indexing
from memory.indexing.documents import turn_documents
from memory.indexing.embedding import index_now
from memory.learning import earlier_statements
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.preceding_messages import utterance_of
from memory.learning.services import learn
from memory.models import ConversationEvent, MemoryItem, SearchEntry, Session
from memory.retrieval.services import search
from memory.services import conflicts, item_queries, items, versions
from memory.services.conflicts import Outcome, open_conflicts, settle_conflict
from memory.services.history import undo, undoable_change
from memory.types import SearchQuery
from tests.memory.evolution.support import believed, draft, recallable
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import memories, open_session, permit_of, say

HOME, MOVED = "I live in Bristol with my partner and two kids", "btw we moved to Leeds last month"
TUESDAY = A_MONDAY + timedelta(days=1)


def found(text: str, at: datetime, change: float = 0.0, **changes: object) -> EmbeddedCandidate:
    """A sentence that teaches something, as the gate would have it."""
    candidate = StatementCandidate(
        memory_type="observation", content=text, epistemic_type="fact", provenance="observation", confidence=0.5,
        category="", rule=GATE, quote=text, valid_at=at, change=change,
        attributes={"subject": "user", "slot": STATEMENT, "value": text, "polarity": "positive"},
    )  # fmt: skip
    [vector], model_id = indexing.embed([text])
    return EmbeddedCandidate(replace(candidate, **changes), vector, model_id)  # type: ignore[arg-type]


def hear(user: User, session: Session, text: str, at: datetime) -> ConversationEvent:
    """The user says something, and search gives it; no memory is made of it."""
    [event] = say(user, session, text, at=at, learn=False)
    with acting_as(user.pk):
        index_now(turn_documents([event], [event.pk]))
    return event


def tell(user: User, session: Session, text: str, at: datetime, change: float = 0.0, **changes: object) -> None:
    """The user says a sentence, and it is learned."""
    event = hear(user, session, text, at)
    with acting_as(user.pk):
        permit = permit_for(user)
        with versions.learning_transaction(permit):
            learn(permit, event, None, {utterance_of(event, None): [found(text, at, change, **changes)]})


def is_live(user: User, text: str) -> bool:
    """Whether ordinary search gives the message of these words."""
    with acting_as(user.pk):
        live = set(SearchEntry.objects.filter(kind="turn", live=True).values_list("pk", flat=True))
        return any(event.text == text for event in ConversationEvent.objects.filter(pk__in=live))


@pytest.fixture
def session(alice: User) -> Session:
    """A conversation in which Alice said where she lives."""
    allow(alice)
    opened = open_session(alice)
    tell(alice, opened, HOME, A_MONDAY)
    return opened


def likely(monkeypatch: pytest.MonkeyPatch, probability: float) -> None:
    """Whatever is asked, the first of the earlier statements is meant."""
    monkeypatch.setattr(earlier_statements, "likeliest_target", lambda *given: LikelyTarget(0, probability, 1))


def test_a_clear_change_takes_the_place_of_what_it_changes(alice: User, session: Session) -> None:
    tell(alice, session, MOVED, TUESDAY, change=0.99)
    assert believed(alice) == recallable(alice) == {MOVED}
    [old, new] = memories(alice)
    assert (old.superseded_by_id, old.invalid_at, old.chain_id) == (new.pk, new.valid_at, new.chain_id)
    assert not is_live(alice, HOME)
    assert is_live(alice, MOVED)


def test_it_can_be_undone(alice: User, session: Session) -> None:
    tell(alice, session, MOVED, TUESDAY, change=0.99)
    with acting_as(alice.pk):
        undo(permit_of(alice), memories(alice)[1].pk)
    assert believed(alice) == {HOME}
    assert is_live(alice, HOME)


@pytest.mark.parametrize("change", [0.0, 0.04])
def test_what_changes_nothing_stands_beside_what_was_said(alice: User, session: Session, change: float) -> None:
    tell(alice, session, MOVED, TUESDAY, change=change)
    assert believed(alice) == {HOME, MOVED}
    with acting_as(alice.pk):
        assert open_conflicts(permit_of(alice)) == []


def test_an_unclear_change_stands_in_conflict(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    likely(monkeypatch, 0.25)
    tell(alice, session, MOVED, TUESDAY, change=0.9)
    assert believed(alice) == recallable(alice) == {HOME, MOVED}
    with acting_as(alice.pk):
        [conflict] = open_conflicts(permit_of(alice))
    assert (conflict.newer.content, conflict.older.content) == (MOVED, HOME)


def test_below_the_band_nothing_is_asked(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    likely(monkeypatch, 0.005)
    tell(alice, session, MOVED, TUESDAY, change=0.9)
    with acting_as(alice.pk):
        assert open_conflicts(permit_of(alice)) == []


def test_what_its_person_told_on_purpose_is_put_away_by_no_guess(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with acting_as(alice.pk):
        items.confirm(permit_of(alice), memories(alice)[0].pk)
    likely(monkeypatch, 1.0)
    tell(alice, session, MOVED, TUESDAY, change=1.0)
    assert believed(alice) == {HOME, MOVED}
    with acting_as(alice.pk):
        assert len(open_conflicts(permit_of(alice))) == 1


def test_a_model_alone_puts_nothing_away(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    likely(monkeypatch, 1.0)
    tell(alice, session, MOVED, TUESDAY, change=1.0, by_model=True)
    assert believed(alice) == {HOME, MOVED}


def test_where_both_have_a_slot_the_slots_decide(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I like tea", at=A_MONDAY)
    likely(monkeypatch, 1.0)
    say(alice, session, "Actually, I also like coffee", at=TUESDAY)
    assert believed(alice) == {"Likes tea", "Likes coffee"}


def test_an_older_statement_changes_no_newer_one(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely(monkeypatch, 1.0)
    tell(alice, session, MOVED, TUESDAY, change=1.0, happened_by=A_MONDAY - timedelta(days=400))
    assert believed(alice) == {HOME, MOVED}


def test_what_waits_puts_away_only_once_it_is_accepted(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely(monkeypatch, 1.0)
    tell(alice, session, MOVED, TUESDAY, change=1.0, confidence=0.1)
    assert believed(alice) == {HOME}
    with acting_as(alice.pk):
        assert open_conflicts(permit_of(alice)) == []
        [waiting] = item_queries.review_queue(permit_of(alice))
        items.accept(permit_of(alice), waiting.pk)
    assert believed(alice) == {MOVED}
    with acting_as(alice.pk):
        undo(permit_of(alice), waiting.pk)
    assert believed(alice) == {HOME}


def test_what_waits_and_perhaps_changes_something_stands_in_conflict_once_accepted(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely(monkeypatch, 0.25)
    tell(alice, session, MOVED, TUESDAY, change=0.9, confidence=0.1)
    with acting_as(alice.pk):
        [waiting] = item_queries.review_queue(permit_of(alice))
        items.accept(permit_of(alice), waiting.pk)
        assert len(open_conflicts(permit_of(alice))) == 1
    assert believed(alice) == {HOME, MOVED}


@pytest.mark.parametrize("band", ["ask", "ignore"])
def test_what_surely_changes_a_memory_is_believed_however_it_is_said(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, band: str
) -> None:
    likely(monkeypatch, 1.0)
    tell(alice, session, MOVED, TUESDAY, change=1.0, band=band)
    assert believed(alice) == {MOVED}
    with acting_as(alice.pk):
        assert not item_queries.review_queue(permit_of(alice)).exists()


@pytest.mark.parametrize(("band", "asked"), [("ask", {MOVED}), ("ignore", set())])
def test_what_perhaps_changes_a_memory_is_asked_about_or_passed_over(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, band: str, asked: set[str]
) -> None:
    likely(monkeypatch, 0.25)
    tell(alice, session, MOVED, TUESDAY, change=0.9, band=band)
    assert believed(alice) == {HOME}
    with acting_as(alice.pk):
        assert {item.content for item in item_queries.review_queue(permit_of(alice))} == asked


@pytest.fixture
def asked_in(alice: User) -> Session:
    """A conversation in which Alice said where she lives, and was only asked whether to remember it."""
    allow(alice)
    opened = open_session(alice)
    tell(alice, opened, HOME, A_MONDAY, band="ask")
    return opened


def test_what_its_person_was_only_asked_about_is_put_away_by_what_changes_it(
    alice: User, asked_in: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely(monkeypatch, 1.0)
    tell(alice, asked_in, MOVED, TUESDAY, change=1.0)
    assert believed(alice) == {MOVED}
    assert not is_live(alice, HOME)
    [asked, moved] = memories(alice)
    assert (asked.superseded_at, asked.invalid_at) == (asked.created_at, asked.valid_at)  # it was never believed
    with acting_as(alice.pk):
        assert not item_queries.review_queue(permit_of(alice)).exists()
        undo(permit_of(alice), moved.pk)
        assert [item.content for item in item_queries.review_queue(permit_of(alice))] == [HOME]
    assert believed(alice) == set()
    assert is_live(alice, HOME)


def test_of_two_that_are_asked_about_accepting_the_newer_puts_the_older_away(
    alice: User, asked_in: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely(monkeypatch, 1.0)
    tell(alice, asked_in, MOVED, TUESDAY, change=1.0, band="ask")
    assert believed(alice) == set()
    with acting_as(alice.pk):
        _older, newer = item_queries.review_queue(permit_of(alice)).order_by("valid_at")
        items.accept(permit_of(alice), newer.pk)
        assert not item_queries.review_queue(permit_of(alice)).exists()
    assert believed(alice) == {MOVED}
    assert not is_live(alice, HOME)
    with acting_as(alice.pk):
        undo(permit_of(alice), newer.pk)
        assert {item.content for item in item_queries.review_queue(permit_of(alice))} == {HOME, MOVED}
    assert believed(alice) == set()
    assert is_live(alice, HOME)


def test_a_message_that_taught_nothing_is_past_once_it_is_changed(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    session = open_session(alice)
    silent = "the flat in Bristol by the harbour, that's where you find us"
    hear(alice, session, silent, A_MONDAY)
    assert is_live(alice, silent)
    likely(monkeypatch, 1.0)
    tell(alice, session, MOVED, TUESDAY, change=1.0)
    assert not is_live(alice, silent)
    assert believed(alice) == {MOVED}


def test_nobody_elses_words_are_changed(alice: User, bob: User, session: Session) -> None:
    allow(bob)
    tell(bob, open_session(bob), MOVED, TUESDAY, change=0.99)
    assert believed(alice) == {HOME}
    assert believed(bob) == {MOVED}


@pytest.fixture
def conflict(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch) -> MemoryItem:
    """The newer of two memories in conflict."""
    likely(monkeypatch, 0.25)
    tell(alice, session, MOVED, TUESDAY, change=0.9)
    return memories(alice)[1]


def test_search_gives_the_newer_of_the_two_first(alice: User, conflict: MemoryItem) -> None:
    with acting_as(alice.pk):
        found = search(
            permit_of(alice), SearchQuery("Do I live in Bristol with my partner and two kids, or have I moved?")
        )
    assert [hit.text for hit in found.hits] == [MOVED, HOME]


@pytest.mark.parametrize(("outcome", "left"), [("newer", {MOVED}), ("older", {HOME}), ("both", {HOME, MOVED})])
def test_their_person_settles_it_and_may_undo_that(
    alice: User, conflict: MemoryItem, outcome: Outcome, left: set[str]
) -> None:
    with acting_as(alice.pk):
        changed = settle_conflict(permit_of(alice), conflict.pk, outcome)
        assert open_conflicts(permit_of(alice)) == []
    assert believed(alice) == left
    with acting_as(alice.pk):
        assert undoable_change(permit_of(alice), changed) is not None
        undo(permit_of(alice), changed.pk)
        assert len(open_conflicts(permit_of(alice))) == 1
    assert believed(alice) == {HOME, MOVED}


def test_nobody_else_settles_it(alice: User, charlie: User, conflict: MemoryItem) -> None:
    allow(charlie)
    with acting_as(charlie.pk), pytest.raises(NotFound):
        settle_conflict(permit_of(charlie), conflict.pk, "newer")
    assert believed(alice) == {HOME, MOVED}


def test_it_is_settled_once(alice: User, conflict: MemoryItem) -> None:
    with acting_as(alice.pk):
        settle_conflict(permit_of(alice), conflict.pk, "both")
        with pytest.raises(ValidationFailed):
            settle_conflict(permit_of(alice), conflict.pk, "newer")
        with pytest.raises(ValidationFailed):
            conflicts.outcome_of("neither")


def test_what_was_said_later_still_is_in_conflict_with_nothing_older(alice: User, conflict: MemoryItem) -> None:
    with acting_as(alice.pk):
        [open_one] = open_conflicts(permit_of(alice))
        york = draft(content="Lives in York", valid_at=TUESDAY + timedelta(days=5))
        items.supersede(permit_of(alice), open_one.older, york)

        assert open_conflicts(permit_of(alice)) == []


def test_both_stay_settled_whatever_becomes_of_one(alice: User, conflict: MemoryItem) -> None:
    with acting_as(alice.pk):
        [open_one] = open_conflicts(permit_of(alice))
        settle_conflict(permit_of(alice), conflict.pk, "both")
        items.confirm(permit_of(alice), open_one.older.pk)

        assert open_conflicts(permit_of(alice)) == []
