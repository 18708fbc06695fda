"""Words that stood in a prompt, said again by their reader, teach nothing about them (M-13)."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.learning.services import observe
from memory.services.sessions import record_messages
from memory.types import NewMessage
from tests.memory.evolution.support import believed
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of, say


@pytest.mark.parametrize(
    ("answered", "asked"),
    [
        ("I really love the sea breeze in Lisbon. What about you?", "What did we say about the sea breeze in Lisbon?"),
        ("我也很喜欢海边的好天气。你呢？", "关于海边的好天气，你记得什么？"),
    ],
)
def test_what_the_assistant_once_said_of_itself_and_is_recalled(alice: User, answered: str, asked: str) -> None:
    allow(alice)
    with acting_as(alice.pk):
        before = open_session(alice)
        answer = NewMessage.of_text("assistant", answered, "Assistant")
        observe(permit_of(alice), record_messages(permit_of(alice), before, [answer]))
    drain()
    session = open_session(alice)
    reply = turn.reply(alice, TurnRequest(session.pk, ({"type": "text", "text": asked},)))
    assert answered in {used.text for used in reply.memories_used}
    say(alice, session, f"{answered}\n")
    say(alice, open_session(alice), "I follow BTC")
    assert believed(alice) == {"Follows BTC"}


@pytest.mark.parametrize(
    ("answered", "echoed"),
    [
        ("You like tea. Shall I remember that?", "You like tea. Shall I remember that?"),
        ("好的，我最近在学英语，你有没有好方法？", "好的，我最近在学英语，你有没有好方法？"),
        ("I love horror films, do you?", "I love horror films, do you?"),
    ],
)
def test_an_answer_said_back_as_it_was(alice: User, answered: str, echoed: str) -> None:
    allow(alice)
    with acting_as(alice.pk):
        session = open_session(alice)
        answer = NewMessage.of_text("assistant", answered, "Assistant")
        echo = NewMessage.of_text("user", echoed, alice.name)
        observe(permit_of(alice), record_messages(permit_of(alice), session, [answer, echo]))
    drain()
    assert believed(alice) == set()
