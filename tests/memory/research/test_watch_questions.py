"""A watch question is open, resolved and open again, and its whole life is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from consent.services import permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.models import Thread, WatchQuestion
from memory.research import watch_questions
from tests.support.cast import A_MONDAY, allow, allow_nothing
from tests.support.research import LOOK, REOPENED, SOON, refreshed, reopened, thread_kept


def _only(user: User, thread: Thread) -> WatchQuestion:
    with acting_as(user.pk):
        return watch_questions.questions_of(permit_for(user), thread).get()


def _booked(user: User) -> list[OutboxMessage]:
    with acting_as(user.pk):
        return list(OutboxMessage.objects.filter(topic=REOPENED))


def test_each_change_of_its_state_is_kept_with_its_moment(alice: User) -> None:
    permit = allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        thread = thread_kept(alice)
        question = _only(alice, thread)
        with acting_as(alice.pk):
            for change in (watch_questions.resolve_question, watch_questions.resolve_question):
                clock.shift(timedelta(days=1))
                change(permit, thread, question.pk)
            clock.shift(timedelta(days=1))
            for _ in range(2):
                watch_questions.reopen_question(permit, thread, question.pk, LOOK)

    now = _only(alice, thread)
    assert (now.state, now.resolved_at, now.reopened_at) == (
        "reopened", A_MONDAY + timedelta(days=1), A_MONDAY + timedelta(days=3),
    )  # fmt: skip
    assert [update["state"] for update in now.updates] == ["open", "resolved", "reopened"]
    assert now.updates[1]["at"] == (A_MONDAY + timedelta(days=1)).isoformat()


def test_reopening_is_looked_at_later_once_and_names_the_question_alone(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False):
        thread = thread_kept(alice)
        reopened(alice, thread)

    (booked,) = _booked(alice)
    assert (booked.payload, booked.available_at) == ({"question": str(_only(alice, thread).pk)}, A_MONDAY + SOON)


@pytest.mark.parametrize("asked_again", ["Do fees hold?", " do FEES hold？"])
def test_a_refresh_that_asks_a_resolved_question_again_opens_it_as_a_hand_does(alice: User, asked_again: str) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    refreshed(alice, thread, "Fees fall.", watch_questions=(asked_again,))
    assert (_only(alice, thread).state, _booked(alice)) == ("open", [])
    with acting_as(alice.pk):
        watch_questions.resolve_question(permit, thread, _only(alice, thread).pk)
    refreshed(alice, thread, "Fees fall.", watch_questions=(asked_again, asked_again))

    now = _only(alice, thread)
    assert (now.state, [update["state"] for update in now.updates]) == ("reopened", ["open", "resolved", "reopened"])
    assert now.reopened_at is not None
    assert [booked.payload for booked in _booked(alice)] == [{"question": str(now.pk)}]


def test_nobody_looks_where_nothing_may_be_kept_of_it(alice: User, bob: User) -> None:
    allow_nothing(alice)
    reopened(alice, thread_kept(alice))
    assert _booked(alice) == []

    permit = allow(bob)
    reopened(bob, thread_kept(bob))
    assert permit.consent_id is not None
    with acting_as(bob.pk):
        withdraw_consent(bob, permit.consent_id, [ConsentScope.SAVE_TO_PROFILE], source="web")
    assert [message.state for message in _booked(bob)] == [OutboxMessage.State.CANCELLED]


def test_an_open_question_is_not_opened_again(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    question = _only(alice, thread)
    with acting_as(alice.pk):
        watch_questions.reopen_question(permit, thread, question.pk, LOOK)

    assert (_only(alice, thread).state, _booked(alice)) == ("open", [])


def test_another_threads_question_is_not_found(alice: User, bob: User) -> None:
    permit = allow(alice)
    allow(bob)
    mine, other, bobs = thread_kept(alice), thread_kept(alice), thread_kept(bob)
    for thread, question in ((mine, _only(alice, other)), (mine, _only(bob, bobs)), (bobs, _only(bob, bobs))):
        with pytest.raises(NotFound), acting_as(alice.pk):
            watch_questions.resolve_question(permit, thread, question.pk)
