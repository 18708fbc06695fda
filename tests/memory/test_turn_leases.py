"""One reply at a time is made in a conversation, and a process that dies while making it does not keep it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.exceptions import ReplyPending
from memory.models import Session
from memory.services import turn_leases
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of

LATER = turn_leases.LEASE + timedelta(seconds=1)


def begin(user: User, session: Session) -> Session:
    with acting_as(user.pk):
        return turn_leases.begin_turn(permit_of(user), session.pk)


@pytest.fixture
def conversation(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def test_who_asks_meanwhile_is_told_when_to_ask_again(alice: User, conversation: Session) -> None:
    begin(alice, conversation)
    with pytest.raises(ReplyPending) as refused:
        begin(alice, conversation)
    assert 1 <= (refused.value.retry_after or 0) <= turn_leases.LEASE.total_seconds()


def test_a_process_that_died_frees_its_conversation_within_the_lease(alice: User, conversation: Session) -> None:
    with time_machine.travel(timezone.now() - LATER, tick=False):
        begin(alice, conversation)
    assert begin(alice, conversation).pk == conversation.pk


def test_one_that_lives_keeps_it_as_long_as_it_renews(alice: User, conversation: Session) -> None:
    began = timezone.now() - LATER
    with time_machine.travel(began, tick=False):
        session = begin(alice, conversation)
    with time_machine.travel(began + timedelta(seconds=15), tick=False), acting_as(alice.pk):
        assert turn_leases.renew_lease(session)
    with pytest.raises(ReplyPending):
        begin(alice, conversation)


@pytest.mark.parametrize("loses", [begin, lambda user, session: turn_leases.take_lease_away(session)])
def test_a_lease_that_was_lost_is_not_renewed(
    alice: User, conversation: Session, loses: Callable[[User, Session], object]
) -> None:
    with time_machine.travel(timezone.now() - LATER, tick=False):
        session = begin(alice, conversation)
    with acting_as(alice.pk):
        loses(alice, session)
        assert not turn_leases.renew_lease(session)
