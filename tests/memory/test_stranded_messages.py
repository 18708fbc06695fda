"""A message that a full queue dropped, or whose job was lost, is found, queued once, and learned from."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

from consent.exceptions import LearningStopped
from consent.permit import Permit
from consent.services import learning_permit, permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.learning import stranded_messages
from memory.learning.services import OBSERVE_TOPIC
from memory.learning.stranded_messages import queue_stranded, stranded_jobs
from memory.models import ConversationEvent, SearchEntry
from tests.support.cast import allow
from tests.support.talk import memories, open_session, say

SAID = "I live in Oslo"


@pytest.fixture
def stranded(alice: User) -> ConversationEvent:
    """A message of hers that nobody queued."""
    allow(alice)
    return _said(alice, SAID)


def _said(user: User, text: str, *, learn: bool = False, **fields: object) -> ConversationEvent:
    """A message of an hour ago, in a conversation of its own."""
    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        return say(user, open_session(user, **fields), text, learn=learn)[0]


def _jobs(user: User) -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=OBSERVE_TOPIC, user_id=user.pk))


def _is_found(message: ConversationEvent) -> bool:
    with acting_as(message.user_id):
        return SearchEntry.objects.filter(pk=message.pk).exists()


def test_it_is_found_learned_from_and_counted(alice: User, stranded: ConversationEvent) -> None:
    assert queue_stranded() == 1
    drain()

    assert _is_found(stranded)
    assert [item.content for item in memories(alice)] == ["Lives in Oslo"]
    with in_role(OPERATOR_ROLE):
        assert stranded_jobs(timezone.now() - timedelta(days=1)).count() == 1


def test_it_is_queued_once_even_where_nothing_comes_of_it(alice: User, stranded: ConversationEvent) -> None:
    assert queue_stranded() == 1
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=OBSERVE_TOPIC).update(state="done", finished_at=timezone.now())

    assert queue_stranded() == 0
    assert len(_jobs(alice)) == 1


def test_one_that_may_still_be_on_its_way_is_left_alone(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), SAID, learn=False)

    assert queue_stranded() == 0


@pytest.mark.parametrize("state", ["pending", "processing", "failed"])
def test_what_waits_runs_or_is_a_dead_letter_is_not_queued_beside_it(alice: User, state: str) -> None:
    allow(alice)
    _said(alice, SAID, learn=True)
    with acting_as(alice.pk):
        SearchEntry.objects.filter(kind="turn").delete()
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=OBSERVE_TOPIC).update(state=state)

    assert queue_stranded() == 0


def test_what_awaits_a_word_of_theirs_stays_out_of_search(alice: User) -> None:
    allow(alice)
    message = _said(alice, "I have diabetes.", learn=True)
    assert not _is_found(message)

    assert queue_stranded() == 0


def test_nothing_is_queued_under_a_consent_that_is_gone_or_was_given_anew(
    alice: User, stranded: ConversationEvent
) -> None:
    with acting_as(alice.pk):
        consent_id = permit_for(alice).consent_id
        assert consent_id is not None
        withdraw_consent(alice, consent_id, source="api")
    assert queue_stranded() == 0

    allow(alice)
    assert queue_stranded() == 0


def test_none_of_a_temporary_chat_is(alice: User) -> None:
    allow(alice)
    _said(alice, SAID, remember=False)

    assert queue_stranded() == 0


def test_a_full_queue_takes_none(stranded: ConversationEvent, settings: Settings) -> None:
    settings.OUTBOX_COLD_LIMIT = 0
    settings.OUTBOX_COUNT_SECONDS = 0

    assert queue_stranded() == 0


def test_learning_that_is_stopped_for_somebody_holds_up_nobody_else(
    alice: User, bob: User, stranded: ConversationEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(bob)
    _said(bob, SAID)

    def permit_unless_stopped(user_id: UUID) -> Permit | None:
        if user_id == alice.pk:
            raise LearningStopped()
        return learning_permit(user_id)

    monkeypatch.setattr(stranded_messages, "learning_permit", permit_unless_stopped)

    assert queue_stranded() == 1
    assert len(_jobs(bob)) == 1
