"""What a message only supposes is told from what it states. No database."""

from __future__ import annotations

import pytest

from memory.evolution.supposition import is_supposition


@pytest.mark.parametrize(
    "text",
    [
        "Maybe I'll learn to sail, we'll see.", "I might buy a boat one day, who knows.",
        "If I were rich, I would buy an island.", "Perhaps I should move. Who knows.",
        "也许哪天我会买艘船吧，谁知道呢。", "如果我有钱了，我就买个岛。", "说不定我会去学帆船，再看吧。",
        "我可能会去日本。",
    ],
)  # fmt: skip
def test_what_is_imagined_or_in_doubt_is_a_supposition(text: str) -> None:
    assert is_supposition(text)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Berlin.", "If it rains I stay home. I like tea.", "I may not eat peanuts: I'm allergic.",
        "lol", "What if I sell?",
        "我住在上海。", "我喜欢喝茶，可能有点上瘾。", "", "Maybe, " + "word " * 60,
    ],
)  # fmt: skip
def test_what_states_something_or_nothing_is_none(text: str) -> None:
    assert not is_supposition(text)
