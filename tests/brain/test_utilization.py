"""Which of what stood in the prompt an answer drew on (seed B §4.1.1 Step A)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from finclaw.brain.records.turn_records import is_utilized, judge_utilizations
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate
from foundation.ids import new_id

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def candidate(text: str) -> PromptCandidate:
    return PromptCandidate("item", new_id(), text, score=1.0, tokens=10, occurred_at=NOW)


def use(memory: str, question: str, reply: str) -> str:
    """How one memory that was injected shows in the reply."""
    one = candidate(memory)
    return judge_utilizations(
        Assembly((CandidateDecision(one, True, "relevance", 1),), {}, False), question, reply, "Alice"
    )[one.id]


@pytest.mark.parametrize(
    ("memory", "question", "reply"),
    [
        ("Alice follows BTC", "What do I follow?", "Mostly BTC, and its miners."),
        ("用户喜欢简约风格", "我喜欢什么?", "简约的搭配更适合你。"),
        ("用戶喜歡簡約風格", "我喜欢什么?", "简约的搭配更适合你。"),
        ("Alice holds 600519.SH since 2021", "How is my portfolio?", "600519.SH gained 2 % this week."),
        ("Alice works as a nurse in Hamburg", "Suggest a fund", "As a nurse in Hamburg you may use the hospital plan."),
    ],
)
def test_an_answer_that_holds_the_memorys_own_words_drew_on_it(memory: str, question: str, reply: str) -> None:
    assert use(memory, question, reply) == "keyword_match"


@pytest.mark.parametrize(
    ("memory", "question", "reply"),
    [
        ("Alice follows BTC", "Do I follow BTC?", "Yes, you mentioned that you follow BTC."),
        ("用户关注比特币", "我关注比特币吗?", "是的，您之前提到过关注比特币。"),
        ("Alice follows BTC", "Do I follow BTC?", "From what I remember: “Alice follows BTC”"),
    ],
)
def test_words_of_the_question_count_where_the_answer_says_it_remembers(memory: str, question: str, reply: str) -> None:
    assert use(memory, question, reply) == "reference_phrase"


@pytest.mark.parametrize(
    ("memory", "question", "reply"),
    [
        ("Alice follows BTC", "What is BTC?", "BTC is a cryptocurrency."),
        ("用户关注比特币", "比特币是什么?", "比特币是一种加密货币。"),
        ("Alice prefers concise answers", "What is a bond?", "A bond is a loan to an issuer."),
        ("Alice follows BTC", "Hello", "Hello Alice, as you mentioned, bonds are dull."),
        ("Alice owns a vineyard near Bordeaux and two horses", "What moves oil?", "Horses no longer do; demand does."),
        ("Alice follows BTC", "Hi", ""),
        ("", "Hi", "Hello"),
    ],
)
def test_an_answer_that_could_do_without_the_memory_did_not_use_it(memory: str, question: str, reply: str) -> None:
    assert use(memory, question, reply) == "none"


def test_what_was_left_out_was_neither_used_nor_unused() -> None:
    taken, left = candidate("Alice follows BTC"), candidate("Alice follows ETH")
    decisions = (CandidateDecision(taken, True, "relevance", 1), CandidateDecision(left, False, "budget_exceeded"))
    found = judge_utilizations(Assembly(decisions, {}, True), "What do I follow?", "BTC and ETH", "Alice")
    assert is_utilized(found, taken.id) is True
    assert is_utilized(found, left.id) is None
