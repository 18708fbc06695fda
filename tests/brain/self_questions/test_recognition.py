"""Which messages ask what is remembered of their speaker, and about which topic."""

from __future__ import annotations

from pathlib import Path

import pytest

from finclaw.brain.self_questions import question_classifier
from finclaw.brain.self_questions.recognition import LONGEST, read_self_question
from finclaw.brain.self_questions.topic_classifier import topic_head
from finclaw.brain.self_questions.topics import belongs_to_topic, section_of, topics_of
from foundation.language import ParsedMessage
from foundation.model_weights import DamagedWeights


@pytest.mark.parametrize(
    "text",
    [
        "What do you remember about me?",
        "who am I",
        "hi! what have you got on me?",
        "Tell me what you know about me, thanks!",
        "what's in my file",
        "sum me up",
        "What personal information do you have about me?",
        "what have I told you so far?",
        "你对我了解多少？",
        "我是谁？",
        "你都记得我什么",
        "说说你知道的我",
        "关于我你知道些啥呀",
        "我的档案里有什么？谢谢",
    ],
)
def test_everything_is_asked_for(text: str) -> None:
    asked = read_self_question(ParsedMessage(text))

    assert asked is not None
    assert (asked.topics, asked.named) == ((), "")


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("what do you know about my work", ("work",)),
        ("Do you know anything about my kids?", ("children",)),
        ("what have you noted about my holiday plans?", ("travel",)),
        ("what do you remember about my money and positions?", ("money", "investing")),
        ("remind me what I told you about where I live", ("home",)),
        ("how do I like to be answered, according to your notes?", ("answers",)),
        ("你了解我的家人吗", ("family",)),
        ("我的饮食习惯你记得吗？", ("food",)),
        ("关于我的持仓你都记了什么", ("investing",)),
    ],
)
def test_a_topic_is_asked_for(text: str, topics: tuple[str, ...]) -> None:
    asked = read_self_question(ParsedMessage(text))

    assert asked is not None
    assert asked.topics == topics


@pytest.mark.parametrize(
    "text",
    [
        "what do you know about Nvidia?",
        "who am I kidding",
        "what's my sister's name?",
        "do you remember my sister's birthday party?",
        "What does Anna know about me? Thank you!",
        "tell me about yourself",
        "what would you like to know about me?",
        "you know me, I love coffee",
        "remember that my work starts at 8",
        "how do you know so much about me?",
        "Where do I live?",
        "你知道英伟达吗",
        "他对我了解多少？",
        "我妹妹叫什么名字？",
        "请记住我不吃香菜",
        "你还想知道我什么？",
        "我住在杭州",
        f"what do you remember about me? {'x' * LONGEST}",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert read_self_question(ParsedMessage(text)) is None


@pytest.mark.parametrize(
    ("text", "slot", "topic"),
    [
        ("Lives in Leeds", "home", "home"),
        ("I turned vegan last year", "", "food"),
        ("My sister works as a nurse", "", "family"),
        ("我住在杭州", "", "home"),
        ("我妹妹在医院上班", "", "family"),
    ],
)
def test_a_statement_belongs_to_its_topic(text: str, slot: str, topic: str) -> None:
    found = topics_of(text, slot, {topic})

    assert belongs_to_topic(topic, found)
    assert section_of(found, slot) == topic
    assert not belongs_to_topic("work", found)


def test_both_heads_know_the_same_topics() -> None:
    assert topic_head("e5").topics == topic_head("light").topics


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("what have i ever said to you about my mum, i forget", ("parents",)),
        ("wat do u rly know abt me", ()),
        ("Would you be so kind as to tell me what you have learned of me over the weeks?", ()),
        ("你脑子里记着的我是个啥样的人呀", ()),
    ],
)
def test_wordings_that_no_grammar_knows_are_classified(text: str, topics: tuple[str, ...]) -> None:
    asked = read_self_question(ParsedMessage(text))

    assert asked is not None
    assert asked.topics[:1] == topics


@pytest.mark.parametrize("text", ["What do I follow?", "How do I get to the office from here?", "从家到公司怎么走？"])
def test_a_question_for_one_fact_is_left_to_search(text: str) -> None:
    assert read_self_question(ParsedMessage(text)) is None


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "questions.npz"
    damaged.write_bytes(question_classifier.WEIGHTS_FILE.read_bytes()[:-1])
    monkeypatch.setattr(question_classifier, "WEIGHTS_FILE", damaged)
    question_classifier.question_classifier.cache_clear()

    with pytest.raises(DamagedWeights):
        question_classifier.question_classifier("light")
