"""A day is the user's own: what was said late on Thursday in UTC was said on Friday in Shanghai."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest
import time_machine

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from tests.support.cast import allow
from tests.support.talk import open_session, say

THURSDAY_NIGHT: Final = datetime(2026, 1, 15, 20, 30, tzinfo=UTC)
A_WEEK_LATER: Final = datetime(2026, 1, 22, 20, 30, tzinfo=UTC)


@pytest.fixture
def alice_in_shanghai(alice: User) -> User:
    allow(alice)
    with acting_as(alice.pk):
        alice.time_zone, alice.display_name = "Asia/Shanghai", "Alice"
        alice.save(update_fields=["time_zone", "display_name"])
    say(alice, open_session(alice), "My dentist is Dr Weber.", at=THURSDAY_NIGHT)
    return alice


def asked(session: Session, text: str) -> TurnRequest:
    return TurnRequest(session.pk, ({"type": "text", "text": text},))


@pytest.mark.parametrize("question", ["Who is my dentist?", "What do you remember about me?"])
def test_an_answer_dates_a_memory_on_the_users_calendar(alice_in_shanghai: User, question: str) -> None:
    told = turn.reply(alice_in_shanghai, asked(open_session(alice_in_shanghai), question)).reply
    assert "16 Jan 2026" in told
    assert "15 Jan" not in told


def test_the_prompt_tells_day_place_and_name_where_the_conversation_is(alice_in_shanghai: User) -> None:
    session = open_session(alice_in_shanghai, time_zone="America/Lima", location="Lima")
    with time_machine.travel(A_WEEK_LATER, tick=False):
        context = turn.prepare(alice_in_shanghai, asked(session, "Who is my dentist?")).prompt.context
    assert "now: Thursday, 22 January 2026, 15:30\ntime zone: America/Lima (UTC-05:00)\nplace: Lima\nperson: Alice" in (
        context
    )
    assert "2026-01-15" in context
