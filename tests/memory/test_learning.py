"""What somebody says becomes memory, is replaced by what they say next, and only under their consent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.models import MemoryItem, SearchEntry
from tests.support.cast import allow, allow_nothing
from tests.support.talk import memories, open_session, say


def test_statements_of_both_languages_become_items(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I prefer concise answers and I follow BTC", "我现在不喜欢运动风了,喜欢简约的")
    contents = [item.content for item in memories(alice, state="active")]
    assert any("concise" in content for content in contents)
    assert any("BTC" in content for content in contents)
    assert any("简约" in content for content in contents)


@pytest.mark.parametrize(("zone", "day"), [("Asia/Shanghai", "3 March 2026"), ("America/New_York", "2 March 2026")])
def test_tomorrow_is_counted_where_it_was_said(alice: User, zone: str, day: str) -> None:
    allow(alice)
    say(alice, open_session(alice, time_zone=zone), "I plan to visit Oslo tomorrow",
        at=datetime(2026, 3, 1, 23, 30, tzinfo=UTC))  # fmt: skip
    assert [item.content for item in memories(alice)] == [f"Plans to visit Oslo on {day}"]


def test_each_item_says_where_it_came_from(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    [event] = say(alice, session, "I follow BTC")
    [item] = memories(alice)
    assert item.provenance_detail["message_ids"] == [str(event.pk)]
    assert item.provenance_detail["rule"]
    assert item.source_sessions == [session.pk]
    assert item.consent_version == 1


def test_a_passing_mention_stays_below_its_cap_and_an_instruction_does_not(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I like Sichuan food", "Remember that I live in Berlin")
    confidence = {item.provenance: item.confidence for item in memories(alice)}
    assert confidence["observation"] <= 0.5
    assert confidence["confirmed_by_user"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("first", "then", "gone", "stays"),
    [
        ("I live in Berlin", "I now live in Hamburg", "Berlin", "Hamburg"),
        ("我住在北京", "我现在住在上海", "北京", "上海"),
    ],
)
def test_a_newer_value_of_a_single_slot_supersedes_the_older(
    alice: User, first: str, then: str, gone: str, stays: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    say(alice, session, then)
    old, new = memories(alice)
    assert gone in old.content
    assert old.state == MemoryItem.State.SUPERSEDED
    assert old.superseded_by_id == new.pk
    assert (new.chain_id, new.version, new.state) == (old.chain_id, 2, MemoryItem.State.ACTIVE)
    assert stays in new.content


def test_saying_it_again_adds_nothing(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow BTC")
    say(alice, session, "I follow BTC")
    assert len(memories(alice)) == 1


def test_several_things_followed_stand_side_by_side(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow BTC")
    say(alice, session, "I follow 600519.SH")
    assert len(memories(alice, state="active")) == 2


@pytest.mark.parametrize("text", ["Hello there!", "What is BTC?", "你好呀", "今天天气怎么样?"])
def test_chit_chat_and_questions_teach_nothing(alice: User, text: str) -> None:
    allow(alice)
    say(alice, open_session(alice), text)
    assert memories(alice) == []


def test_without_the_learning_scope_nothing_is_queued_indexed_or_learned(alice: User) -> None:
    allow_nothing(alice)
    say(alice, open_session(alice), "I follow BTC")
    with acting_as(alice.pk):
        assert not OutboxMessage.objects.exists()
        assert not SearchEntry.objects.exists()
        assert not MemoryItem.objects.exists()


def test_a_temporary_chat_teaches_nothing(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice, remember=False), "I follow BTC")
    with acting_as(alice.pk):
        assert not SearchEntry.objects.exists()
        assert not MemoryItem.objects.exists()


def test_work_queued_before_a_withdrawal_learns_nothing_after_it(alice: User) -> None:
    from consent.services import withdraw_consent
    from foundation.outbox.tasks import drain
    from memory.learning.services import observe

    permit = allow(alice)
    events = say(alice, open_session(alice), "I follow BTC", learn=False)
    with acting_as(alice.pk):
        observe(permit, events)
        assert permit.consent_id is not None
        _, effects = withdraw_consent(alice, permit.consent_id, [ConsentScope.MEMORY_LEARNING], source="api")
    drain()
    assert effects.queued_work_cancelled == 1
    with acting_as(alice.pk):
        assert not MemoryItem.objects.exists()
        assert not SearchEntry.objects.exists()


def test_what_was_said_before_the_grant_is_never_learned(alice: User) -> None:
    from memory.learning.services import observe

    allow_nothing(alice)
    events = say(alice, open_session(alice), "I follow BTC", learn=False)
    permit = allow(alice)
    with acting_as(alice.pk):
        assert observe(permit, events) is None
