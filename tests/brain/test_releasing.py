"""A turn that fails frees its conversation, though the database fails with it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from threading import Event
from threading import enumerate as living_threads
from uuid import UUID

import pytest
from django.db import DataError, OperationalError
from psycopg_pool import PoolTimeout
from structlog.testing import capture_logs

from finclaw.brain import turn
from finclaw.brain.records import turn_renewal
from finclaw.brain.records.turn_release import _renewal, keep_turn_lease, release_session
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from memory.services import sessions, turn_leases
from tests.support.cast import allow, make_person
from tests.support.talk import age_turn, open_session, permit_of
from tests.support.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)  # the second try runs in a thread with a connection of its own


@pytest.fixture
def begun() -> tuple[User, Session]:
    """Somebody's conversation with a reply on its way."""
    alice = make_person("alice")
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        return alice, turn_leases.begin_turn(permit_of(alice), session.pk)


def _is_free(user: User, session: Session) -> bool:
    with acting_as(user.pk):
        return Session.objects.get(pk=session.pk).turn_started_at is None


def _join_releasing() -> None:
    for thread in living_threads():
        if thread.name == "releasing":
            thread.join(timeout=30)


class Failing:
    """``end_turn`` behind a database that is gone for the first so many calls."""

    def __init__(self, times: int, error: type[Exception]) -> None:
        self.left, self.error, self.real = times, error, turn_leases.end_turn

    def __call__(self, session: Session) -> None:
        if self.left:
            self.left -= 1
            raise self.error
        self.real(session)


@pytest.mark.parametrize("error", [OperationalError, PoolTimeout])
def test_it_is_freed_as_soon_as_the_database_is_back(
    begun: tuple[User, Session], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.setattr(turn_leases, "end_turn", Failing(3, error))

    release_session(*begun)
    _join_releasing()

    assert _is_free(*begun)


def test_it_is_freed_at_once_while_the_database_works(begun: tuple[User, Session]) -> None:
    release_session(*begun)

    assert _is_free(*begun)


def test_what_is_no_want_of_a_database_is_told(begun: tuple[User, Session], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_leases, "end_turn", Failing(1, ZeroDivisionError))

    with pytest.raises(ZeroDivisionError):
        release_session(*begun)


def test_a_turn_whose_database_fails_tells_that_and_leaves_no_mark(
    begun: tuple[User, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    user, session = begun
    release_session(user, session)
    failing = Failing(1, OperationalError)
    monkeypatch.setattr(turn_leases, "end_turn", failing)

    def fails(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(sessions, "record_messages", fails)
    with pytest.raises(OperationalError):
        turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": "Hello"},)))
    _join_releasing()

    assert failing.left == 0
    assert _is_free(user, session)


def _is_held(user: User, session: Session) -> bool:
    with acting_as(user.pk):
        return turn_leases.is_replying(session)


def test_a_turn_that_takes_long_keeps_its_conversation(
    begun: tuple[User, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_renewal, "RENEWAL_SECONDS", 0.01)
    monkeypatch.setattr(turn_leases, "LEASE", timedelta(seconds=0.3))
    age_turn(*begun, timedelta(seconds=1))
    assert not _is_held(*begun)
    with keep_turn_lease(*begun):
        wait_for(lambda: _is_held(*begun))
    wait_for(lambda: not _is_held(*begun))  # nobody went on with it


def test_a_turn_that_fails_is_not_renewed_though_another_is(
    begun: tuple[User, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_renewal, "RENEWAL_SECONDS", 0.01)
    alice, session = begun
    with acting_as(alice.pk):
        other = turn_leases.begin_turn(permit_of(alice), open_session(alice).pk)
    for each in (session, other):
        age_turn(alice, each, turn_leases.LEASE)
    with keep_turn_lease(alice, other):
        with suppress(ZeroDivisionError), _renewal.held(session.pk):
            wait_for(lambda: _is_held(alice, session))
            raise ZeroDivisionError
        wait_for(lambda: not _is_held(alice, session))
        assert _is_held(alice, other)


@pytest.mark.parametrize("error", [DataError(), RuntimeError()], ids=["of the database", "any other"])
def test_an_error_ends_no_renewing_and_is_logged(
    begun: tuple[User, Session], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    renewed, failures = Event(), [error]

    def renew_turns(_: Sequence[UUID]) -> None:
        if failures:
            raise failures.pop()
        renewed.set()

    monkeypatch.setattr(turn_leases, "renew_turns", renew_turns)
    monkeypatch.setattr(turn_renewal, "RENEWAL_SECONDS", 0.01)
    with capture_logs() as logged, keep_turn_lease(*begun):
        assert renewed.wait(10)
    assert {"event": "turn_leases_not_renewed", "error": type(error).__name__, "log_level": "warning"} in logged
