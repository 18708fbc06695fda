"""The small model is asked only where the rules are not sure: what that is, in both languages."""

from __future__ import annotations

import pytest

from finclaw.brain.understanding.intent import REFERS_BACK, classify
from finclaw.brain.understanding.message_reading import SURE
from foundation.language import ParsedMessage


def asks(text: str, *, has_history: bool = True) -> bool:
    return classify(ParsedMessage(text), has_history=has_history).confidence < SURE


@pytest.mark.parametrize(
    "text",
    [
        "Hello, friend! Today I went up a hill and it was wonderful.",
        "Thanks for your recommendation, those books all sound great.",
        "The doctor said it is a sprain of the right foot.",
        "Recently my friends all say that my energy is much better.",
        "Okay, we will keep your advice in mind.",
        "今天去了游泳池游泳，感觉非常放松。",
        "好的，我会按照你的建议调整，期待两周后能恢复运动！",
        "医生说是右脚扭伤，已经处理过了。",
    ],
)
def test_what_only_tells_asks_nobody(text: str) -> None:
    assert not asks(text)


@pytest.mark.parametrize("text", ["Thank you for the recommendations", "My portfolio is half bonds", "谢谢你的建议"])
def test_words_of_advice_make_no_request_of_what_only_tells(text: str) -> None:
    assert classify(ParsedMessage(text)).intent_type != "research"


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of Portugal?",
        "How does photosynthesis work in desert plants?",
        "I read a novel about a village in Spain. Have you heard of it?",
        "Write a limerick about a lighthouse",
        "葡萄牙的首都在什么地方？",
        "我最近在看一本讲述西班牙小村庄的小说，你听说过它吗？",
    ],
)
def test_a_question_that_can_be_read_alone_asks_nobody(text: str) -> None:
    assert not asks(text)


@pytest.mark.parametrize(
    "text", ["Hi there", "Good morning, how are you?", "谢谢你", "Why?", "Tell me more", "继续", "为什么呢？"]
)
def test_courtesies_and_short_follow_ups_ask_nobody(text: str) -> None:
    assert not asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "And the other one?",
        "Which of them is cheaper?",
        "Is that still true for the second case?",
        "Thanks! Does he live there?",
        "What about Lisbon?",
        "And on Tuesday?",
        "Hmm, what about trains?",
        "Well, which one is easier to clean?",
        "Tuesday?",
        "Could you compare it with the one from before?",
        "那个呢",
        "那上海呢？",
        "嗯，还有北京呢？",
        "它的优点是什么？",
        "他后来去哪里了？",
    ],
)
def test_a_question_about_what_was_said_before_is_read_with_it(text: str) -> None:
    assert asks(text)
    assert REFERS_BACK in classify(ParsedMessage(text), has_history=True).context_hints
    assert REFERS_BACK not in classify(ParsedMessage(text)).context_hints


@pytest.mark.parametrize("text", ["And the other one?", "What about Lisbon?", "那个呢", "那上海呢？", "Which is best?"])
def test_with_nothing_said_before_there_is_nothing_to_refer_to(text: str) -> None:
    assert not asks(text, has_history=False)


@pytest.mark.parametrize(
    "text",
    [
        "Any advice?",
        "Can you recommend a restaurant for tonight?",
        "What should I cook tonight?",
        "Please make a workout plan for me.",
        "有什么好的餐厅推荐吗？",
        "我周末该去哪儿散步？",
        "请为我定制一周的运动计划。",
    ],
)
def test_brief_advice_needs_more_than_its_own_words_find(text: str) -> None:
    assert asks(text, has_history=False)


@pytest.mark.parametrize(
    "text",
    ["Could you put NVDA under the microscope?", "NVDA, the usual: where does it stand?", "帮我把茅台好好看一遍"],
)
def test_a_request_about_finance_may_be_for_work_in_other_words(text: str) -> None:
    assert asks(text, has_history=False)
