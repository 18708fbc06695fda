"""What a question asks for, told without any of the words of the answer. No database."""

from __future__ import annotations

import pytest

from finclaw.brain.topics import topics_of


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("Which town do I live in these days?", "home"), ("我现在住在哪里？", "home"), ("我家在哪个城市？", "home"),
        ("What do I do for a living?", "job"), ("我做什么工作？", "job"),
        ("Who is my employer?", "employer"), ("我在哪家公司上班？", "employer"),
        ("How old am I?", "age"), ("我多大了？", "age"),
        ("Can I eat peanuts?", "allergy"), ("推荐一款不含牛奶的甜点。", "diet"),
        ("How much money can I spend?", "budget"), ("我最多能花多少？", "budget"),
        ("What do I hold?", "holds.aapl"), ("我持有什么股票？", "holds.贵州茅台"),
        ("Which colour do I like best?", "favourite_colour"), ("我喜欢什么音乐？", "likes"),
        ("When do I get up?", "schedule.wake"), ("我几点起床？", "schedule"),
    ],
)  # fmt: skip
def test_a_question_asks_for_a_slot(question: str, slot: str) -> None:
    asked = topics_of(question)
    assert asked.covers(slot)
    assert asked.terms


@pytest.mark.parametrize("text", ["Explain what a bond ladder is.", "给我讲讲债券阶梯", "Thanks!", "谢谢"])
def test_what_asks_nothing_of_the_person_names_no_slot(text: str) -> None:
    asked = topics_of(text)
    assert (asked.slots, asked.terms, asked.past) == ((), (), False)
    assert not asked.covers("home")
    assert not asked.covers("")


def test_a_slot_covers_its_own_kind_only() -> None:
    asked = topics_of("What do I hold?")
    assert not asked.covers("holdsomething")


@pytest.mark.parametrize(
    "text",
    [
        "Where did I live before?",
        "What did I use to drink, I used to like it?",
        "我以前住在哪里？",
        "我原来在哪家公司？",
    ],
)
def test_it_tells_who_asks_how_things_were(text: str) -> None:
    assert topics_of(text).past


@pytest.mark.parametrize("text", ["Should I invest before earnings?", "开会之前我该准备什么？", "下周之前做什么"])
def test_before_something_is_not_the_past(text: str) -> None:
    assert not topics_of(text).past
