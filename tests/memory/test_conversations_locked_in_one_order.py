"""Two members of shared groups, each at work in both groups' conversations, do not wait for each other for ever."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import pytest
from django.db import connection

from foundation.accounts.models import ChatGroup, Membership, User
from foundation.database.acting_user import acting_as
from memory.indexing.withheld_messages import withhold_messages
from memory.models import ConversationEvent, SearchEntry, Session
from tests.support.beside import PATIENCE, Beside
from tests.support.cast import allow, group_with, make_person
from tests.support.talk import open_session, say
from tests.support.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
_WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"  # noqa: E501


def _member(name: str) -> User:
    person = make_person(name)
    allow(person)
    return person


def _waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_WAITS)
        return bool(cursor.fetchone()[0])


def _withhold(user: User, *messages: ConversationEvent, between: Callable[[], object]) -> None:
    """In one transaction, as a job that changes several memories does: each message goes out of search."""
    with acting_as(user.pk):
        for number, message in enumerate(messages):
            if number:
                between()
            withhold_messages(user.pk, [message.pk])


def _said_in(user: User, *conversations: Session) -> list[ConversationEvent]:
    return [say(user, session, f"{user.name} collects old coins.")[0] for session in conversations]


def _conversations(*members: User) -> tuple[Session, Session]:
    first, *others = members
    groups: list[ChatGroup] = [group_with(first, others) for _ in range(2)]
    one, two = (open_session(first, group_id=group.pk) for group in groups)
    return one, two


def test_two_members_who_begin_in_different_conversations_both_come_through() -> None:
    alice, bob = _member("alice"), _member("bob")
    one, two = _conversations(alice, bob)
    alices, bobs = _said_in(alice, one, two), _said_in(bob, two, one)
    bob_began = Event()

    def between() -> None:
        """Alice stands between her two messages until Bob holds what he began with, or waits for her."""
        theirs.begin()
        wait_for(lambda: bob_began.is_set() or _waits_for_a_lock())

    theirs = Beside(lambda: _withhold(bob, *bobs, between=bob_began.set))
    _withhold(alice, *alices, between=between)

    assert theirs.ended.wait(PATIENCE)
    assert theirs.error is None
    with acting_as(alice.pk):
        gone = {message.pk for message in (*alices, *bobs)}
        assert not SearchEntry.objects.filter(pk__in=gone).exists()


def test_somebody_outside_these_groups_does_not_wait() -> None:
    alice, bob, charlie = _member("alice"), _member("bob"), _member("charlie")
    one, _ = _conversations(alice, bob)
    [alices] = _said_in(alice, one)
    [own] = _said_in(charlie, open_session(charlie))

    with acting_as(alice.pk):
        withhold_messages(alice.pk, [alices.pk])
        beside = Beside(lambda: _withhold(charlie, own, between=lambda: None))
        beside.begin()
        assert beside.ended.wait(PATIENCE)
    assert beside.error is None


def test_who_has_left_a_group_still_keeps_the_order() -> None:
    alice, bob = _member("alice"), _member("bob")
    one, two = _conversations(alice, bob)
    alices, bobs = _said_in(alice, one, two), _said_in(bob, two, one)
    Membership.objects.filter(user=bob).update(left_at=alices[0].created_at)
    bob_began = Event()

    def between() -> None:
        theirs.begin()
        wait_for(lambda: bob_began.is_set() or _waits_for_a_lock())

    theirs = Beside(lambda: _withhold(bob, *bobs, between=bob_began.set))
    _withhold(alice, *alices, between=between)

    assert theirs.ended.wait(PATIENCE)
    assert theirs.error is None
