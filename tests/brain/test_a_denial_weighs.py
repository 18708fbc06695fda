"""Who calls a remembered thing wrong, or never said, finds it doubted or gone, and in no event."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from memory.models import Session
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.speaking import prompt_of
from tests.support.talk import memories, open_session, say

pytestmark = pytest.mark.django_db(transaction=True)  # a turn opens transactions of its own


def ask(user: User, session: Session, text: str) -> TurnResult:
    result = turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))
    drain()
    return result


def confidences(user: User) -> dict[str, float]:
    return {item.content: item.confidence for item in memories(user, superseded_at=None)}


DOUBTS = [
    ("I follow BTC", "What do I follow?", "That's not right.", "Follows BTC"),
    ("I follow BTC", "Do I follow BTC?", "I never said that.", "Follows BTC"),
    ("我关注比特币", "我关注什么？", "不对。", "关注比特币"),
    ("我关注比特币", "我关注什么？", "我从来没说过", "关注比特币"),
]


@pytest.mark.parametrize(("told", "question", "doubt", "memory"), DOUBTS)
def test_a_memory_that_is_called_wrong_is_less_sure(
    alice: User, told: str, question: str, doubt: str, memory: str
) -> None:
    allow(alice)
    ask(alice, open_session(alice), told)
    session = open_session(alice)
    ask(alice, session, question)
    before = confidences(alice)[memory]
    answer = ask(alice, session, doubt).reply
    assert memory in answer  # it asks what is right
    assert confidences(alice) == {memory: round(before - 0.05, 4)}
    assert memories(alice)[0].correction_count == 1


def test_not_in_a_conversation_that_is_not_to_be_remembered(alice: User) -> None:
    allow(alice)
    ask(alice, open_session(alice), "I follow BTC")
    session = open_session(alice, remember=False)
    ask(alice, session, "What do I follow?")
    before = confidences(alice)
    ask(alice, session, "That's not right.")
    assert confidences(alice) == before


@pytest.mark.parametrize(
    ("told", "event", "denied", "question", "gone"),
    [
        ("I hold TSLA.", "Alice holds TSLA.", "I never said that I hold TSLA.", "Do I hold TSLA?", "Alice holds TSLA"),
        ("我持有特斯拉。", "Alice持有特斯拉。", "我从来没说过我持有特斯拉。", "我持有特斯拉吗？", "Alice持有特斯拉"),
    ],
)
def test_what_was_never_said_is_neither_remembered_nor_told_by_an_event(
    alice: User, told: str, event: str, denied: str, question: str, gone: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, told)
    post(signed_in(alice), f"/api/sessions/{session.pk}/end", {"request_id": "r", "new_info": event})
    drain()
    assert gone in prompt_of(alice, question)
    ask(alice, open_session(alice), denied)
    assert confidences(alice) == {}
    assert gone not in prompt_of(alice, question)
