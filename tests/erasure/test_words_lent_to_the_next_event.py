"""An event lends its words to the search entry of the next one: they leave it with the event (C-9, M-43)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from consent.models import ErasureScope
from consent.purge import PURGE_TOPIC
from consent.services import withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.historian.events import correct_event
from memory.models import SearchEntry, Session
from tests.memory.portraits.support import erase, tell
from tests.support.cast import A_MONDAY, allow, group_with
from tests.support.talk import open_session, permit_of


@pytest.fixture
def talk(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def terms(user: User) -> str:
    """The words of everything of theirs that search knows."""
    with acting_as(user.pk):
        return str(list(SearchEntry.objects.filter(user=user).order_by("occurred_at").values_list("terms", flat=True)))


def told(user: User, talk: Session) -> str:
    """Two events; answers the first one's id."""
    first = tell(user, talk, "I like zanzibar tea.", at=A_MONDAY)
    tell(user, talk, "I live in Lisbon.", at=A_MONDAY + timedelta(minutes=1))
    assert "'zanzibar':1B" in terms(user)
    return first


@pytest.mark.parametrize("in_group", [False, True])
def test_an_erased_event_is_found_by_no_word_in_the_next(alice: User, bob: User, talk: Session, in_group: bool) -> None:
    session = open_session(alice, group_id=group_with(alice, [bob]).pk) if in_group else talk
    erase(alice, ErasureScope.EVENT, told(alice, session))

    assert "zanzibar" not in terms(alice)
    assert "'lisbon':1A" in terms(alice)


def test_one_that_came_in_between_later_hides_no_word(alice: User, talk: Session) -> None:
    first = told(alice, talk)
    tell(alice, talk, "I like coffee.", at=A_MONDAY + timedelta(seconds=30))

    erase(alice, ErasureScope.EVENT, first)

    assert "zanzibar" not in terms(alice)
    assert "'coffe':1B" in terms(alice)


def test_a_corrected_event_lends_what_it_says_now(alice: User, talk: Session) -> None:
    first = told(alice, talk)

    with acting_as(alice.pk):
        correct_event(permit_of(alice), first, "Alice likes coffee.")
    drain()

    assert "zanzibar" not in terms(alice)
    assert "'coffe':1B" in terms(alice)


def test_what_was_withdrawn_is_lent_to_nothing_that_is_told_after_a_new_grant(alice: User, talk: Session) -> None:
    tell(alice, talk, "I like zanzibar tea.", at=A_MONDAY)
    with acting_as(alice.pk):
        consent = permit_of(alice).consent_id
        assert consent is not None
        withdraw_consent(alice, consent, source="api")
        OutboxMessage.objects.filter(topic=PURGE_TOPIC).delete()  # its turn comes later
    allow(alice)

    tell(alice, talk, "I live in Lisbon.", at=A_MONDAY + timedelta(minutes=1))

    assert "'lisbon':1A" in terms(alice)
    assert "'zanzibar':1B" not in terms(alice)
