"""In a group each member speaks from their own time zone; that of the conversation is its creator's."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import time_machine

from finclaw.brain import turn
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ConversationEvent, Session
from tests.brain.test_turn import message
from tests.support.cast import allow, group_with
from tests.support.talk import memories, open_session, say

pytestmark = pytest.mark.django_db
SUNDAY_NIGHT = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


@pytest.fixture
def session(alice: User, bob: User) -> Session:
    """A group's conversation that Alice began in New York; Bob lives in Shanghai."""
    allow(alice)
    allow(bob)
    User.objects.filter(pk=bob.pk).update(time_zone="Asia/Shanghai")
    bob.refresh_from_db()
    return open_session(alice, group_id=group_with(alice, [bob]).pk, time_zone="America/New_York", location="New York")


@pytest.mark.parametrize(("speaker", "day"), [("alice", "Sunday, 1 March"), ("bob", "Monday, 2 March")])
def test_the_prompt_tells_the_speakers_day(alice: User, bob: User, session: Session, speaker: str, day: str) -> None:
    user = {"alice": alice, "bob": bob}[speaker]
    with time_machine.travel(SUNDAY_NIGHT, tick=False):
        context = turn.prepare(user, message(session.pk, "What is due?")).prompt.context
    assert f"now: {day}" in context


@pytest.mark.parametrize(("speaker", "day"), [("alice", "2 March 2026"), ("bob", "3 March 2026")])
def test_tomorrow_is_the_speakers(alice: User, bob: User, session: Session, speaker: str, day: str) -> None:
    user = {"alice": alice, "bob": bob}[speaker]
    [said] = say(user, session, "I plan to visit Oslo tomorrow", at=SUNDAY_NIGHT)
    assert [item.content for item in memories(user)] == [f"Plans to visit Oslo on {day}"]
    with acting_as(user.pk):
        zone = ConversationEvent.objects.with_clock().get(pk=said.pk).zone
    assert zone == ("America/New_York" if speaker == "alice" else "Asia/Shanghai")
