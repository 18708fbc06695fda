"""What a question asks for, told without any of the words of the answer. No database."""

from __future__ import annotations

import pytest

from finclaw.brain.understanding.question_slots import requested_slots


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
        ("What do I like to drink?", "likes"), ("What do I usually drink?", "likes"), ("我喜欢喝什么?", "likes"),
        ("我爱喝什么", "likes"), ("我平时喝什么？", "likes"), ("我最喜欢的饮料是什么？", "likes"),
        ("What do I dislike?", "dislikes"), ("我不喜欢吃什么？", "dislikes"), ("我讨厌什么？", "dislikes"),
        ("Where did I move to?", "home"), ("我搬到哪里了？", "home"), ("我在哪里住？", "home"),
        ("When do I get up?", "schedule.wake"), ("我几点起床？", "schedule"),
    ],
)  # fmt: skip
def test_a_question_asks_for_a_slot(question: str, slot: str) -> None:
    asked = requested_slots(question)
    assert asked.covers(slot)
    assert asked.terms


@pytest.mark.parametrize("text", ["Explain what a bond ladder is.", "给我讲讲债券阶梯", "Thanks!", "谢谢"])
def test_what_asks_nothing_of_the_person_names_no_slot(text: str) -> None:
    asked = requested_slots(text)
    assert (asked.slots, asked.terms, asked.about_past) == ((), (), False)
    assert not asked.covers("home")
    assert not asked.covers("")


@pytest.mark.parametrize(
    "text", ["What have I asked you about gold?", "我问过你什么？", "What were my last questions?"]
)
def test_it_tells_who_asks_what_was_asked(text: str) -> None:
    assert requested_slots(text).about_questions


@pytest.mark.parametrize("text", ["What do I like to drink?", "我喜欢喝什么？", "我有什么问题吗？"])
def test_a_question_is_not_about_questions(text: str) -> None:
    assert not requested_slots(text).about_questions


@pytest.mark.parametrize(
    ("text", "is_open"),
    [("What do I like?", True), ("我喜欢什么？", True), ("Do I like jazz?", False), ("我喜欢爵士乐吗？", False)],
)
def test_which_of_many_is_told_from_whether(text: str, is_open: bool) -> None:
    assert requested_slots(text).is_open is is_open


@pytest.mark.parametrize("question", ["What don't I like?", "What do I not eat?", "我不喜欢什么？", "我不太爱吃什么？"])
def test_who_asks_for_dislikes_asks_for_no_likes(question: str) -> None:
    assert not requested_slots(question).covers("likes")


def test_where_one_comes_from_is_not_where_one_lives() -> None:
    assert requested_slots("我老家在哪里？").covers("origin")
    assert not requested_slots("我老家在哪里？").covers("home")


def test_a_slot_covers_its_own_kind_only() -> None:
    asked = requested_slots("What do I hold?")
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
    assert requested_slots(text).about_past


@pytest.mark.parametrize("text", ["Should I invest before earnings?", "开会之前我该准备什么？", "下周之前做什么"])
def test_before_something_is_not_the_past(text: str) -> None:
    assert not requested_slots(text).about_past
