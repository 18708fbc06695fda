"""What somebody tells the assistant about how to speak is no statement about themselves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.evolution.rule_analyzer import analyze
from memory.evolution.style_commands import is_style_command
from memory.evolution.types import Utterance


def _slots(text: str) -> list[str]:
    return [one.attributes["slot"] for one in analyze(Utterance(text, "Alice", datetime(2026, 3, 2, tzinfo=UTC)))]


@pytest.mark.parametrize(
    "command",
    [
        "be warm",
        "Back to usual.",
        "From now on, back to normal",
        "be yourself again",
        "Use a warm tone",
        "换成严格模式",
        "改成温柔一点的语气",
        "把语气换成温柔一点的",
        "语气改成温柔一点",
        "改用亲切的口吻",
        "以后恢复正常",
        "变回原来的样子",
    ],
)
def test_a_command_is_learned_as_nothing(command: str) -> None:
    assert is_style_command(command)
    assert _slots(command) == []


@pytest.mark.parametrize(
    ("wish", "slot"),
    [
        ("Keep it short", "reply_style"),
        ("Reply in Chinese", "language.reply"),
        ("用英文回答", "language.reply"),
        ("换成中文", "language.reply"),
    ],
)
def test_what_is_to_hold_for_answers_is_learned_as_that(wish: str, slot: str) -> None:
    assert _slots(wish) == [slot]


@pytest.mark.parametrize(
    "told",
    [
        "I like tea.",
        "Alice likes warm weather",
        "Back in Berlin",
        "Go to the gym every day",
        "Answered the client",
        "换成冰美式",
        "改成蓝色风格",
        "血压高一点",
        "跑得快一点",
        "身体恢复正常",
        "我喜欢温柔的语气",
        "口气很大",
    ],
)
def test_what_is_told_is_no_command(told: str) -> None:
    assert not is_style_command(told)
