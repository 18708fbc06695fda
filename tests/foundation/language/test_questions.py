"""Questions are told from what tells something, in Chinese and English. No database."""

from __future__ import annotations

import pytest

from foundation.language import asks_something, statements_in, without_quoted_questions


@pytest.mark.parametrize(
    "sentence",
    [
        "What is BTC?",
        "do I like tea",
        "where do I live",
        "Tell me my age",
        "我爱喝什么",
        "我住在哪里",
        "你记得吗",
        "你是做什么的",
        "怎么办",
    ],
)
def test_a_question_is_known_with_and_without_its_mark(sentence: str) -> None:
    assert asks_something(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "When I lived in Berlin I bought gold.",
        "I like tea",
        "我什么都吃",
        "我住在上海",
        "我不怎么喝咖啡",
        "我喜欢爬山什么的。",
    ],
)
def test_what_tells_something_is_no_question(sentence: str) -> None:
    assert not asks_something(sentence)


def test_a_message_tells_all_but_its_questions() -> None:
    assert statements_in("Do I follow gold? I follow SOL. 我住在哪里？我住在上海。") == [
        "I follow SOL.",
        "我住在上海。",
    ]
    assert statements_in("What is BTC?") == []


def test_only_questions_are_taken_out_of_what_a_text_quotes() -> None:
    text = "FinClaw answered “What is BTC?” and read “Alice in Wonderland”. 回答了「我住在哪里？」。"
    assert without_quoted_questions(text) == "FinClaw answered  and read “Alice in Wonderland”. 回答了。"
