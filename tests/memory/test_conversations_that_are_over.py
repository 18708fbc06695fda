"""A temporary chat goes whole when its time is over, and so do words said without consent to learning."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.db.models import Q

from consent.declarations import personal_models
from consent.services import grant_consent
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.erasure import expiry
from memory.historian.services import end
from memory.models import ConversationEvent, Session
from memory.types import EndInput
from tests.support.cast import A_MONDAY, allow, allow_nothing, group_with
from tests.support.talk import open_session, permit_of, say

TEMPORARY = timedelta(hours=settings.TEMPORARY_SESSION_TTL_HOURS)
USUAL = timedelta(hours=settings.SESSION_TTL_HOURS)
A_MOMENT = timedelta(seconds=5)
Counts = dict[str, int]


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(A_MONDAY, tick=False) as coordinates:
        yield coordinates


def talk(user: User, session: Session, text: str) -> None:
    """A whole turn, with its receipts, learned from where that is allowed."""
    turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))
    drain()


def everything() -> Counts:
    """Rows in every declared table, whoever they belong to; figures that are left of stripped rows are nobody's."""
    with in_role(OPERATOR_ROLE):
        return {
            one.label: one.model._base_manager.exclude(Q(user=None) if one.declaration.figures else Q(pk=None)).count()
            for one in personal_models()
        }


def there(user: User) -> set[str]:
    """The titles of the conversations that the person still has."""
    with acting_as(user.pk):
        return set(Session.objects.values_list("title", flat=True))


def words(user: User) -> list[str]:
    with acting_as(user.pk):
        return [event.text for event in ConversationEvent.objects.order_by("created_at", "seq") if event.role == "user"]


def test_a_temporary_chat_is_gone_with_everything_of_it_and_nothing_else_is(
    alice: User, clock: time_machine.Traveller
) -> None:
    allow(alice)
    talk(alice, open_session(alice, title="kept"), "I live in Bonn.")
    before = everything()
    temporary = open_session(alice, title="temporary", remember=False)
    talk(alice, temporary, "I live in Zanzibar.")
    with acting_as(alice.pk):
        assert not end(permit_of(alice), alice, temporary, EndInput("r1", new_info="I moved")).queued

    clock.move_to(A_MONDAY + TEMPORARY - A_MOMENT)
    assert expiry.delete_expired() == 0
    clock.move_to(A_MONDAY + TEMPORARY)
    assert expiry.delete_expired() == 2
    assert expiry.delete_expired() == 0

    assert everything() == before
    assert there(alice) == {"kept"}


def test_an_empty_temporary_chat_goes_too(alice: User, clock: time_machine.Traveller) -> None:
    allow(alice)
    open_session(alice, title="temporary", remember=False)
    open_session(alice, title="unused")
    clock.shift(USUAL)
    expiry.delete_expired()

    assert there(alice) == {"unused"}


def test_a_conversation_without_consent_to_learning_goes_with_its_time(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    allow(bob)
    talk(bob, open_session(bob, title="learned from"), "I live in Bonn.")
    bobs = everything()
    allow_nothing(alice)
    before = everything()
    talk(alice, open_session(alice, title="not learned from"), "I live in Zanzibar.")

    clock.move_to(A_MONDAY + TEMPORARY)
    assert expiry.delete_expired() == 0
    clock.move_to(A_MONDAY + USUAL)
    assert expiry.delete_expired() == 2

    assert everything() == before
    assert there(alice) == set()
    assert there(bob) == {"learned from"}
    assert bobs["memory.ConversationEvent"] == 2


def test_of_a_mixed_conversation_only_what_was_said_without_consent_goes(
    alice: User, clock: time_machine.Traveller
) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    talk(alice, session, "I collect BTC from Zanzibar.")
    allow(alice)
    talk(alice, session, "I live in Bonn.")
    clock.shift(USUAL)
    assert expiry.delete_expired() == 2

    assert words(alice) == ["I live in Bonn."]
    with acting_as(alice.pk):
        left = Session.objects.get()
    assert (left.title, left.entity_slots, left.summary_blocks) == ("", {}, [])


def test_a_title_of_ones_own_stays(alice: User, clock: time_machine.Traveller) -> None:
    allow_nothing(alice)
    session = open_session(alice, title="My research")
    talk(alice, session, "I live in Zanzibar.")
    allow(alice)
    talk(alice, session, "I live in Bonn.")
    clock.shift(USUAL)
    expiry.delete_expired()

    assert there(alice) == {"My research"}


def test_withdrawing_later_takes_no_message_that_was_said_under_consent(
    alice: User, clock: time_machine.Traveller
) -> None:
    allow(alice)
    talk(alice, open_session(alice), "I live in Bonn.")
    with acting_as(alice.pk):
        grant_consent(alice, {ConsentScope.SAVE_TO_THREAD}, source="web")
    drain()
    clock.shift(USUAL * 2)

    assert expiry.delete_expired() == 0
    assert words(alice) == ["I live in Bonn."]


def test_what_is_said_after_a_conversations_time_has_as_long_again(alice: User, clock: time_machine.Traveller) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    talk(alice, session, "Early.")
    clock.shift(USUAL + A_MOMENT)
    talk(alice, session, "Late.")
    expiry.delete_expired()
    assert words(alice) == ["Late."]
    clock.shift(USUAL)
    expiry.delete_expired()
    assert words(alice) == []
    assert there(alice) == set()


def test_in_a_group_each_keeps_what_they_said_under_their_own_consent(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    allow(alice)
    allow_nothing(bob)
    desk = group_with(alice, [bob])
    session = open_session(bob, group_id=desk.pk)
    say(alice, session, "I live in Bonn.")
    say(bob, session, "I live in Zanzibar.")
    clock.shift(USUAL)
    assert expiry.delete_expired() == 1

    assert words(alice) == ["I live in Bonn."]


def test_a_temporary_chat_of_a_group_goes_with_what_everybody_said(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    allow(alice)
    allow(bob)
    desk = group_with(alice, [bob])
    before = everything()
    session = open_session(alice, group_id=desk.pk, remember=False)
    talk(bob, session, "I live in Zanzibar.")
    talk(alice, session, "I live in Bonn.")
    clock.shift(TEMPORARY)
    assert expiry.delete_expired() == 4

    assert everything() == before


def test_a_conversation_that_events_were_made_of_stays_without_its_words(
    alice: User, clock: time_machine.Traveller
) -> None:
    allow_nothing(alice)
    session = open_session(alice, title="boat")
    talk(alice, session, "I sold the boat.")
    allow(alice)
    with acting_as(alice.pk):
        assert end(permit_of(alice), alice, session, EndInput("r1", new_info="I sold the boat.")).queued
    drain()
    clock.shift(USUAL)
    assert expiry.delete_expired() == 2

    assert there(alice) == {"boat"}
    assert everything()["memory.CognitiveEvent"] == 1


def test_many_messages_go_in_batches(
    alice: User, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiry, "BATCH", 2)
    allow_nothing(alice)
    say(alice, open_session(alice), *(f"Sentence {number}." for number in range(5)))
    clock.shift(USUAL)

    assert expiry.delete_expired() == 5
    assert words(alice) == []
