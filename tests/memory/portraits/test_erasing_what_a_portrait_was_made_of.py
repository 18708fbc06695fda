"""Whoever erases an event, a memory or a conversation finds its words in no version of a portrait (C-9)."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, given, settings, strategies

from consent.erasure.services import erasures_of
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile, Receipt, ReceiptLine, Session
from memory.portraits import services as portraits
from memory.services.sessions import record_messages
from memory.types import NewMessage
from tests.memory.portraits.support import (
    body,
    bullets,
    edit,
    erase,
    portrait,
    rollback,
    stored_words,
    tell,
    versions,
)  # fmt: skip
from tests.support.cast import allow, group_with, make_person
from tests.support.talk import memories, open_session, permit_of, say


@pytest.fixture
def talk(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def answer(user: User, session: Session, text: str, portrait_id: UUID) -> ConversationEvent:
    """A reply before which the portrait stood."""
    with acting_as(user.pk):
        reply = record_messages(permit_of(user), session, [NewMessage.of_text("assistant", text, "FinClaw")])[0]
        receipt = Receipt.objects.create(
            kind="injection", user=user, session=session, message_id=reply.pk, policy_version="1", consent_version=1
        )
        ReceiptLine.objects.create(
            receipt=receipt, user=user, kind="profile", ref_id=portrait_id, status="accepted",
            decision_reason="relevance", rank=1, candidate_score=1,
        )  # fmt: skip
    return reply


def words(reply: ConversationEvent) -> str:
    with acting_as(reply.user_id):
        return ConversationEvent.objects.get(pk=reply.pk).text


def test_an_events_lines_leave_the_portrait_at_once_and_every_revision_with_it(alice: User, talk: Session) -> None:
    first = tell(alice, talk, "I like zanzibar tea.")
    tell(alice, talk, "I live in Lisbon.")
    edit(alice, body(alice) + "\n- I swim")
    assert stored_words(alice).count("zanzibar") > 5

    erase(alice, ErasureScope.EVENT, first)

    assert bullets(alice) == ["Alice lives in Lisbon.", "I swim"]
    assert "zanzibar" not in stored_words(alice)
    assert [text.count("\n- ") for text in versions(alice)] == [2, 1]  # the first held nothing else, and is gone
    assert first not in stored_words(alice)


def test_a_line_that_its_person_reworded_falls_with_what_it_came_from(alice: User, talk: Session) -> None:
    first = tell(alice, talk, "I like zanzibar tea.")
    edit(alice, "## Preferences\n- Zanzibar tea, and nothing but!\n- I swim")

    erase(alice, ErasureScope.EVENT, first)

    assert bullets(alice) == ["I swim"]
    assert "anzibar" not in stored_words(alice)


def test_what_was_said_twice_stays_until_both_are_erased(alice: User, talk: Session) -> None:
    first = tell(alice, talk, "I like zanzibar tea.")
    second = tell(alice, talk, "I like zanzibar tea.")
    assert bullets(alice) == ["Alice likes zanzibar tea."]

    erase(alice, ErasureScope.EVENT, first)
    assert bullets(alice) == ["Alice likes zanzibar tea."]

    erase(alice, ErasureScope.EVENT, second)
    assert body(alice) == ""
    assert "zanzibar" not in stored_words(alice)


def test_a_message_takes_its_lines_along_by_way_of_the_memory_learned_from_it(alice: User, talk: Session) -> None:
    said = say(alice, talk, "I prefer answers about zanzibar.")[0]
    tell(alice, talk, "I prefer answers about zanzibar.", message=said.pk)
    assert "zanzibar" in body(alice)

    erase(alice, ErasureScope.ITEM, str(memories(alice)[0].pk))

    assert "zanzibar" not in stored_words(alice)


def test_a_conversation_takes_its_lines_along(alice: User, talk: Session) -> None:
    other = open_session(alice)
    tell(alice, talk, "I like zanzibar tea.")
    tell(alice, other, "I live in Lisbon.")

    erase(alice, ErasureScope.SESSION, str(talk.pk))

    assert bullets(alice) == ["Alice lives in Lisbon."]
    assert "zanzibar" not in stored_words(alice)


def test_replies_that_quote_the_erased_line_lose_their_words_and_no_others(alice: User, talk: Session) -> None:
    first = tell(alice, talk, "I like zanzibar tea.")
    tell(alice, talk, "I live in Lisbon.")
    view = portrait(alice)
    assert view is not None
    assert view.own is not None
    other = open_session(alice)
    quoting = answer(alice, other, "Zanzibar tea it is.", view.own.id)
    speaking = answer(alice, other, "Lisbon is sunny.", view.own.id)

    erase(alice, ErasureScope.EVENT, first)

    assert words(quoting) == ""
    assert words(speaking) == "Lisbon is sunny."


def test_replies_to_other_members_that_quote_it_lose_their_words(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    event = tell(alice, open_session(alice, group_id=group.pk), "I like zanzibar tea.")
    view = portrait(bob, group)
    assert view is not None
    private = open_session(bob)
    quoting = answer(bob, private, "Alice likes zanzibar, I read.", view.contributions[0].id)
    speaking = answer(bob, private, "The weather is fine.", view.contributions[0].id)

    erase(alice, ErasureScope.EVENT, event)

    assert words(quoting) == ""
    assert words(speaking) == "The weather is fine."


def test_replies_to_other_members_that_quote_a_reworded_line_lose_their_words(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    event = tell(alice, open_session(alice, group_id=group.pk), "I like zanzibar tea.")
    view = edit(alice, "- Zanzibar tea from mombasa", group)
    assert view.own is not None
    private = open_session(bob)
    quoting = answer(bob, private, "She has it from mombasa.", view.own.id)
    speaking = answer(bob, private, "The weather is fine.", view.own.id)

    erase(alice, ErasureScope.EVENT, event)

    assert words(quoting) == ""
    assert words(speaking) == "The weather is fine."


@override_settings(PROFILE_REVISIONS_KEPT=1)
def test_a_reply_that_quotes_a_version_kept_no_more_loses_its_words(alice: User, talk: Session) -> None:
    event = tell(alice, talk, "I live in Lisbon.")
    view = portrait(alice)
    assert view is not None
    assert view.own is not None
    quoting = answer(alice, open_session(alice), "Lisbon is sunny.", view.own.id)
    for town in ("Porto", "Faro", "Braga"):
        tell(alice, talk, f"I live in {town}.")
    assert "Lisbon" not in stored_words(alice)

    erase(alice, ErasureScope.EVENT, event)

    assert words(quoting) == ""


def test_a_portrait_is_forgotten_with_its_versions_and_its_events_stay(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like zanzibar tea.")
    edit(alice, body(alice) + "\n- I swim")
    with acting_as(alice.pk):
        key = portraits.own_row_id(permit_of(alice), "user", alice.pk)

    erase(alice, ErasureScope.PORTRAIT, str(key))

    with acting_as(alice.pk):
        assert erasures_of(alice.pk).get().state == "completed"
        assert CognitiveEvent.objects.count() == 1
    assert stored_words(alice) == "[] []"
    tell(alice, talk, "I live in Lisbon.")
    assert bullets(alice) == ["Alice lives in Lisbon."]


def test_a_forgotten_portrait_and_its_versions_are_invisible_before_the_worker_comes(
    alice: User, talk: Session
) -> None:
    tell(alice, talk, "I like zanzibar tea.")
    with acting_as(alice.pk):
        key = portraits.own_row_id(permit_of(alice), "user", alice.pk)
        forget(alice, ErasureScope.PORTRAIT, str(key), Sources.REDACT, source="api")

    assert portrait(alice) is None
    with acting_as(alice.pk):
        assert not EntityProfile.history.exists()


def test_a_portrait_begins_anew_while_the_forgotten_one_waits_to_be_erased(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like zanzibar tea.")
    with acting_as(alice.pk):
        key = portraits.own_row_id(permit_of(alice), "user", alice.pk)
        forget(alice, ErasureScope.PORTRAIT, str(key), Sources.REDACT, source="api")

    edit(alice, "- I swim")
    assert bullets(alice) == ["I swim"]

    tell(alice, talk, "I live in Lisbon.")
    assert bullets(alice) == ["I swim", "Alice lives in Lisbon."]
    assert "zanzibar" not in stored_words(alice)


def test_nobody_forgets_anothers_portrait(alice: User, bob: User, talk: Session) -> None:
    allow(bob)
    tell(alice, talk, "I like zanzibar tea.")
    with acting_as(alice.pk):
        key = portraits.own_row_id(permit_of(alice), "user", alice.pk)

    with pytest.raises(NotFound):
        erase(bob, ErasureScope.PORTRAIT, str(key))


WAYS = strategies.sampled_from(("learn", "learn", "edit", "reword", "rollback", "erase"))
STEPS = strategies.lists(strategies.tuples(WAYS, strategies.integers(0, 99)), min_size=3, max_size=9)
TOLD = ("I like {}.", "I live in {}.", "我喜欢{}。", "My budget is {}.", "I am allergic to {}.")


@pytest.mark.django_db
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_whatever_happens_no_version_holds_a_line_whose_event_is_erased(steps: list[tuple[str, int]]) -> None:
    user = make_person(f"alice-{uuid4()}")
    allow(user)
    talk = open_session(user)
    told: dict[str, str] = {}
    erased: set[str] = set()
    for number, (step, which) in enumerate(steps):
        _do(user, talk, step, which, f"zq{number}qz", told, erased)
        stored = stored_words(user)
        assert not {word for word in erased if word in stored}
        with acting_as(user.pk):
            row = EntityProfile.objects.filter(user=user).first()
            if row is not None:
                assert len(portraits.revisions(permit_of(user), "user", user.pk)) <= 5
                assert EntityProfile.history.filter(id=row.pk).count() <= 6


def _do(user: User, talk: Session, step: str, which: int, word: str, told: dict[str, str], erased: set[str]) -> None:
    if step == "learn":
        told[word] = tell(user, talk, TOLD[which % len(TOLD)].format(word))
    elif step == "edit":
        edit(user, f"{body(user)}\n- Something of my own, {which}")
    elif step == "reword":
        edit(user, body(user).replace(".", " indeed!"))
    elif step == "rollback":
        with acting_as(user.pk):
            kept = EntityProfile.history.filter(user=user).count()
        if kept > 1:
            rollback(user)
    elif told:
        gone = sorted(told)[which % len(told)]
        erase(user, ErasureScope.EVENT, told.pop(gone))
        erased.add(gone)
