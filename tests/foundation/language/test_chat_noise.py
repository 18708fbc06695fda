"""What chat adds to a statement is taken away; what it states stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from foundation.language import without_chat_noise
from tests.foundation.text.strategies import any_text, market_text


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("I live in Leeds lol", "I live in Leeds"),
        ("I live in Leeds, tbh", "I live in Leeds"),
        ("btw, I live in Leeds!!", "I live in Leeds"),
        ("so yeah, I live in Leeds 😂😂", "I live in Leeds"),
        ("I live in Leeds, so keep that in mind.", "I live in Leeds"),
        ("Remember that I live in Leeds", "I live in Leeds"),
        ("I live in Leeds, please remember that, and work in York", "I live in Leeds, and work in York"),
        ("I live in Leeds, , and work in York", "I live in Leeds, and work in York"),
        ("Haha I live in Leeds, for the record, ok", "I live in Leeds"),
        ("I live in Leeds, mate, and work in York, right", "I live in Leeds, and work in York"),
        ("我住在成都哈哈哈", "我住在成都"),
        ("对了，我住在成都", "我住在成都"),
        ("我住在成都啦～", "我住在成都"),
        ("我住在成都，记住这一点。", "我住在成都"),
        ("请记住我住在成都", "我住在成都"),
        ("我住在成都，你知道的，公司在高新区", "我住在成都，公司在高新区"),
        ("我對花生過敏，記住這一點", "我對花生過敏"),
    ],
)
def test_openers_and_tails_are_taken_away(sentence: str, left: str) -> None:
    assert without_chat_noise(sentence) == left


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("I live in Leeds, you know?", "I live in Leeds"),
        ("I live in Leeds, what do you think?", "I live in Leeds"),
        ("I have a 2015 Prius, what oil should I use?", "I have a 2015 Prius"),
        ("我住在成都，你知道吗？", "我住在成都"),
        ("我住在成都，你懂吧？", "我住在成都"),
        ("我喜欢吃辣，你觉得呢？", "我喜欢吃辣"),
        ("我对花生过敏，月饼能吃吗？", "我对花生过敏"),
    ],
)
def test_a_question_behind_a_statement_is_taken_away(sentence: str, left: str) -> None:
    assert without_chat_noise(sentence) == left


@pytest.mark.parametrize(
    "sentence",
    [
        "What do you think?",
        "If I had a dog, what should I feed it?",
        "When I retire, how much will I need?",
        "要是我养狗，该喂什么?",
        "No, I live in York",
        "Actually I live in York",
        "不对，我住在成都",
        "I love AC/DC, Motörhead, and Maiden",
        "I earn 1,200 a month",
        "I can't stand honesty",
        "My dog is called Cookie",
        "We two go back a long time, long time no see",
        "My father was a good man",
        "Everything is ok",
        "lol",
        "哈哈哈",
        "",
    ],
)
def test_what_states_or_asks_something_stays(sentence: str) -> None:
    assert without_chat_noise(sentence) == sentence


@settings(deadline=None)
@given(any_text | market_text)
def test_nothing_is_made_up(text: str) -> None:
    left = without_chat_noise(text)

    assert len(left) <= len(text) + 1
    assert set(left) <= {*text, "?"}
