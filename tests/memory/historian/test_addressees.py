"""In a group "you" is the member whose name is called, or the only other one who has spoken of late."""

from __future__ import annotations

import pytest

from memory.historian.addressees import EarlierMessage, addressee_of, addresses_one_person

OTHERS = {"Bob", "Charlie", "Melanie Jones", "FinClaw"}


@pytest.mark.parametrize(
    ("text", "before", "addressee"),
    [
        ("Hey Bob, I met you at the fair.", ["Charlie"], "Bob"),
        ("Thanks, Mel! I owe you a coffee.", ["Bob", "Charlie"], "Melanie Jones"),
        ("@Charlie 我昨天跟你说过。", ["Bob"], "Charlie"),
        ("Bob，我昨天见到你了。", [], "Bob"),
        ("I met you at the fair, Bob.", ["Charlie"], "Bob"),
        ("I told you about the fair.", ["Bob", "Alice", "Bob"], "Bob"),
        ("I told you about the fair.", ["FinClaw"], "FinClaw"),
        ("I told you about the fair.", ["Bob", "Charlie"], ""),
        ("I told you about the fair.", ["Alice"], ""),
        ("I told you about the fair.", [], ""),
        ("Bob, Charlie, I told you about the fair, Charlie.", ["Bob"], ""),
        ("I met you guys at the fair.", ["Bob"], ""),
        ("我跟你们说过。", ["Bob"], ""),
        ("大家好，我跟你说过。", ["Bob"], ""),
        ("Bo, I met you.", ["Charlie"], "Charlie"),
    ],
)
def test_whom_you_means(text: str, before: list[str], addressee: str) -> None:
    assert addressee_of(text, "Alice", [EarlierMessage(speaker) for speaker in before], OTHERS) == addressee


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I met you at the fair.", True),
        ("I did as you said.", True),
        ("我昨天跟你说过。", True),
        ("You never know.", False),
        ("I think you need good shoes to run.", False),
        ("I told you that you can win.", False),
        ("我觉得你要多休息。", False),
    ],
)
def test_in_a_general_remark_nobody_is_meant(sentence: str, expected: bool) -> None:
    assert addresses_one_person(sentence) is expected
