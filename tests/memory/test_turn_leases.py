"""One reply at a time is made in a conversation, and a process that dies while making it does not keep it."""

from __future__ import annotations

from datetime import timedelta
from os import getpid

import pytest
from django.db.models import F, QuerySet
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.exceptions import ReplyPending
from memory.models import ReplyProcess, Session
from memory.services import turn_leases
from tests.support.cast import allow
from tests.support.talk import age_turn, open_session, permit_of


def begin(user: User, session: Session) -> Session:
    with acting_as(user.pk):
        return turn_leases.begin_turn(permit_of(user), session.pk)


def this_process() -> QuerySet[ReplyProcess]:
    """The row of this process, whichever others, as of threads of earlier tests, stand beside it."""
    return ReplyProcess.objects.filter(pk=turn_leases.process_id(getpid()))


@pytest.fixture
def conversation(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


@pytest.fixture
def begun_earlier(alice: User, conversation: Session) -> Session:
    """A turn that began longer ago than its beginning holds the conversation."""
    session = begin(alice, conversation)
    age_turn(alice, session, turn_leases.LEASE)
    return session


def test_who_asks_meanwhile_is_told_when_to_ask_again(alice: User, conversation: Session) -> None:
    begin(alice, conversation)
    with pytest.raises(ReplyPending) as refused:
        begin(alice, conversation)
    assert 1 <= (refused.value.retry_after or 0) <= turn_leases.LEASE.total_seconds()


def test_a_process_that_died_at_once_frees_its_conversation(alice: User, begun_earlier: Session) -> None:
    assert begin(alice, begun_earlier).pk == begun_earlier.pk


def test_one_that_lives_keeps_all_that_it_renews(alice: User, begun_earlier: Session) -> None:
    other = begin(alice, open_session(alice))
    age_turn(alice, other, turn_leases.LEASE)
    turn_leases.renew_turns([begun_earlier.pk, other.pk])
    for session in (begun_earlier, other):
        with pytest.raises(ReplyPending):
            begin(alice, session)


def test_one_that_died_later_frees_it_within_the_lease(alice: User, begun_earlier: Session) -> None:
    turn_leases.renew_turns([begun_earlier.pk])
    assert this_process().get().leased_until <= timezone.now() + turn_leases.LEASE
    this_process().update(leased_until=F("leased_until") - turn_leases.LEASE)
    assert begin(alice, begun_earlier).pk == begun_earlier.pk


def test_a_turn_that_its_process_names_no_longer_frees_its_conversation(alice: User, begun_earlier: Session) -> None:
    turn_leases.renew_turns([begun_earlier.pk])
    turn_leases.renew_turns([])
    assert begin(alice, begun_earlier).pk == begun_earlier.pk


def test_another_process_renews_nothing_of_it(
    alice: User, begun_earlier: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_leases, "getpid", lambda: 0)
    turn_leases.renew_turns([begun_earlier.pk])
    assert begin(alice, begun_earlier).pk == begun_earlier.pk


def test_a_turn_that_never_ends_is_not_waited_for_for_ever(alice: User, begun_earlier: Session) -> None:
    age_turn(alice, begun_earlier, turn_leases.longest_turn())
    turn_leases.renew_turns([begun_earlier.pk])
    assert begin(alice, begun_earlier).pk == begun_earlier.pk


def test_a_conversation_that_was_taken_away_is_free_though_its_process_lives(
    alice: User, begun_earlier: Session
) -> None:
    turn_leases.renew_turns([begun_earlier.pk])
    with acting_as(alice.pk):
        turn_leases.take_lease_away(begun_earlier)
    assert begin(alice, begun_earlier).pk == begun_earlier.pk


@pytest.mark.django_db
def test_processes_that_ended_long_ago_are_forgotten() -> None:
    turn_leases.renew_turns([])
    turn_leases.forget_processes()
    assert this_process().exists()
    this_process().update(leased_until=F("leased_until") - timedelta(hours=2))
    turn_leases.forget_processes()
    assert not this_process().exists()
