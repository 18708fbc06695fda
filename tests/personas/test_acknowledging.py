"""What is said to a message that only says how to answer, without a database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foundation.language import ParsedMessage
from personas.acknowledgement import acknowledgement, with_memory_notice
from personas.configuration import PersonaConfig
from personas.message_wishes import infer_wishes
from personas.modes import add_wishes, resolve_request
from personas.types import Acknowledgement
from personas.wording import MANNERS, PREFERENCES

NOW, CONFIG = datetime(2026, 3, 2, 9, 30, tzinfo=UTC), PersonaConfig()


def _told(text: str, *, can_choose: bool = True, may_last: bool = True) -> Acknowledgement | None:
    found = infer_wishes(ParsedMessage(text))
    change = add_wishes(resolve_request(None, found.request, 0, NOW, CONFIG), None, found.signals, 0, NOW, CONFIG)
    return acknowledgement(found, change, can_choose=can_choose, may_last=may_last)


def test_every_preference_has_its_words() -> None:
    assert set(MANNERS) == set(PREFERENCES)
    assert all(set(words) == {"en", "zh"} for words in MANNERS.values())


@pytest.mark.parametrize("text", ["I follow BTC", "Should I sell?", "Be warm. What is BTC?", "hello"])
def test_a_message_that_says_anything_else_is_not_merely_acknowledged(text: str) -> None:
    assert _told(text) is None


@pytest.mark.parametrize(
    ("text", "english"),
    [
        (
            "be warm",
            "Understood. For your next 20 messages here: warm and encouraging. Say “back to normal” to take it back.",
        ),
        ("Keep it short", "Understood: short answers. Say “back to normal” to take it back in this chat."),
        (
            "以后都用中文回答",
            "Understood. From now on: answers in Chinese. You can take it back on the page “How I speak”.",
        ),
        (
            "back to normal, and keep it short",
            "Understood. I am back to my usual way: balanced, matter-of-fact with a little warmth; short answers.",
        ),
    ],
)
def test_it_says_what_holds_for_how_long_and_how_to_take_it_back(text: str, english: str) -> None:
    told = _told(text)

    assert told is not None
    assert told["en"] == english
    assert set(told) == {"en", "zh"}


def test_what_may_not_last_is_not_said_to() -> None:
    told = _told("From now on, be brief", may_last=False)

    assert told is not None
    assert "in this chat" in told["en"]
    assert "在这次对话里" in told["zh"]


@pytest.mark.parametrize("text", ["Keep it short", "用中文回答", "reply in Chinese"])
def test_what_is_remembered_too_is_not_said_to_hold_here_alone(text: str) -> None:
    told = _told(text)

    assert told is not None
    kept = with_memory_notice(told)
    assert "In this chat:" not in kept["en"]
    assert "在这次对话里：" not in kept["zh"]
    assert "back to normal" in kept["en"]
    assert "恢复正常" in kept["zh"]
    assert "“What I remember”（我记得的内容）" in kept["zh"]
