"""``end`` queues, the historian writes absolute events, and nobody else sees them."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.test import override_settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.exceptions import ReplyPending
from memory.historian import events
from memory.historian.services import end
from memory.models import CognitiveEvent, CognitiveJob, Session
from memory.services import turn_leases
from memory.types import EndInput, EndReceipt
from tests.support.cast import allow, group_with
from tests.support.talk import open_session, permit_of, say

SUNDAY_NIGHT_IN_LONDON = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def finish(user: User, session: Session, **fields: object) -> EndReceipt:
    request = EndInput(**({"request_id": "r1", "new_info": "I bought BTC yesterday"} | fields))  # type: ignore[arg-type]
    with acting_as(user.pk):
        return end(permit_of(user), user, session, request)


def written(user: User) -> list[CognitiveEvent]:
    drain()
    with acting_as(user.pk):
        return list(events.events_of(permit_of(user)))


def test_an_event_is_absolute_in_the_time_zone_of_the_conversation(alice: User) -> None:
    allow(alice)
    session = open_session(alice, time_zone="Asia/Shanghai", location="Shanghai")
    receipt = finish(alice, session, occurred_at=SUNDAY_NIGHT_IN_LONDON)
    assert (receipt.event_id, receipt.queued) == ("r1:1", True)
    [event] = written(alice)
    assert event.timestamp_local == "2026-03-02T07:30:00+08:00"
    assert event.location_abs == "Shanghai"
    assert "yesterday" not in event.canonical_text
    assert "1 March 2026" in event.canonical_text or "2026-03-01" in event.canonical_text
    assert "Alice" in event.canonical_text
    assert event.has_new_info
    assert event.schema_version == "final_v1"


def test_a_chinese_event_keeps_its_language_and_loses_its_pronouns(alice: User) -> None:
    allow(alice)
    session = open_session(alice, time_zone="Asia/Shanghai")
    finish(alice, session, new_info="我昨天买了比特币", occurred_at=SUNDAY_NIGHT_IN_LONDON)
    [event] = written(alice)
    assert "昨天" not in event.canonical_text
    assert "我" not in event.canonical_text
    assert "比特币" in event.canonical_text


def test_the_time_zone_of_the_event_wins_over_session_and_person(alice: User) -> None:
    allow(alice)
    session = open_session(alice, time_zone="Asia/Shanghai")
    finish(alice, session, time_zone="America/New_York", occurred_at=SUNDAY_NIGHT_IN_LONDON)
    assert written(alice)[0].timestamp_local == "2026-03-01T18:30:00-05:00"


def test_an_empty_end_is_legal_and_queues_nothing(alice: User) -> None:
    allow(alice)
    receipt = finish(alice, open_session(alice), new_info="  ", action_summary="")
    assert (receipt.event_id, receipt.queued, receipt.reason) == (None, False, "empty")
    with acting_as(alice.pk):
        assert not OutboxMessage.objects.exists()


def test_calling_it_again_answers_the_same_event_and_doubles_nothing(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    first, second = finish(alice, session), finish(alice, session)
    assert first == second
    assert len(written(alice)) == 1
    assert finish(alice, session) == first
    assert len(written(alice)) == 1


def test_two_people_may_use_the_same_request_id(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    for person in (alice, bob):
        assert finish(person, open_session(person)).event_id == "r1:1"
    assert len(written(alice)) == len(written(bob)) == 1


@pytest.mark.parametrize(
    "scopes", [[ConsentScope.SAVE_TO_PROFILE], [ConsentScope.TRAINING_USE, ConsentScope.SAVE_TO_THREAD]]
)
def test_without_the_learning_scope_it_ends_and_stores_nothing(alice: User, scopes: list[ConsentScope]) -> None:
    allow(alice, *scopes)
    receipt = finish(alice, open_session(alice))
    assert (receipt.queued, receipt.reason) == (False, "consent_scope_missing")
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()


def test_a_temporary_chat_leaves_no_event(alice: User) -> None:
    allow(alice)
    assert not finish(alice, open_session(alice, remember=False)).queued


def test_with_cognitive_memory_switched_off_nothing_is_queued(alice: User) -> None:
    allow(alice)
    with override_settings(COGNITIVE_ENABLED=False):
        assert finish(alice, open_session(alice)).reason == "cognitive_disabled"


def test_while_a_reply_is_on_its_way_only_force_ends(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        session = turn_leases.begin_turn(permit_of(alice), session.pk)
    with pytest.raises(ReplyPending):
        finish(alice, session)
    assert finish(alice, session, force=True).queued


def test_an_end_said_again_while_a_reply_is_on_its_way_answers_the_same_event(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    first = finish(alice, session)
    with acting_as(alice.pk):
        session = turn_leases.begin_turn(permit_of(alice), session.pk)
    assert finish(alice, session) == first
    with pytest.raises(ReplyPending):
        finish(alice, session, end_seq=2)
    assert [event.event_id for event in written(alice)] == ["r1:1"]


def test_a_group_event_is_seen_by_members_and_by_nobody_else(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    group = group_with(alice, [bob])
    finish(alice, open_session(alice, group_id=group.pk))
    assert {event.perspective for event in written(alice)} == {"sender"}
    [seen] = written(bob)
    assert (seen.perspective, seen.sender_id) == ("group", alice.pk)
    assert written(charlie) == []


def test_somebody_elses_event_is_not_found(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    finish(alice, open_session(alice))
    drain()
    with acting_as(charlie.pk), pytest.raises(NotFound):
        events.event_of(permit_of(charlie), "r1:1")


def test_messages_of_somebody_else_cannot_be_named(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    [foreign] = say(charlie, open_session(charlie), "Hello")
    session = open_session(alice)
    for unknown in (foreign.pk, uuid4()):
        with pytest.raises(NotFound):
            finish(alice, session, message_ids=(unknown,))
    [own] = say(alice, session, "Hello")
    assert finish(alice, session, message_ids=(own.pk,)).queued
