"""What is not understood by itself is asked about, and never remembered on the gate's word alone."""

from __future__ import annotations

import pytest

from memory.evolution.references import refers_outside


@pytest.mark.parametrize(
    "sentence",
    [
        "It helps me relax after work.",
        "They love climbing and sliding.",
        "So that was a great day for me",
        "You can use coconut oil instead of butter",
        "Don't be afraid to share yourself",
        "他喜欢喝茶",
        "所以这让我很开心",
        "你可以试试瑜伽",
    ],
)
def test_what_speaks_of_another_sentence_points_outside(sentence: str) -> None:
    assert refers_outside(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It's my birthday on 3 May",
        "That's why I moved to Leeds",
        "This year I turn forty",
        "These are my two dogs, Tom and Ida",
        "I told you I live in York",
        "Started surfing in 2018",
        "这是我第二只狗",
        "这周我在上海",
        "那时候我在北京",
        "我跟你说过我住苏州",
    ],
)
def test_what_says_itself_what_it_speaks_of_does_not(sentence: str) -> None:
    assert not refers_outside(sentence)
