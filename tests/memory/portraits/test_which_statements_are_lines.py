"""Which statements may stand in a portrait, under which section, and which of them say the same."""

from __future__ import annotations

from datetime import date
from uuid import UUID, uuid4

import pytest

from memory.portraits.composition import PortraitStatement, compose_lines
from memory.portraits.line_eligibility import is_eligible, last_day_named
from memory.portraits.sections import SECTIONS, section_of
from tests.support.cast import A_MONDAY


def statement(content: str, **fields: object) -> PortraitStatement:
    key = uuid4()
    return PortraitStatement(**({"id": key, "chain": key, "content": content, "said_at": A_MONDAY} | fields))  # type: ignore[arg-type]


_TODAY = A_MONDAY.date()


def texts(*statements: PortraitStatement, left_out: frozenset[UUID] = frozenset(), today: date = _TODAY) -> list[str]:
    return [line.text for line in compose_lines(statements, {}, today, left_out)]


@pytest.mark.parametrize(
    "content",
    [
        "Likes hiking", "Works as a nurse", "Has two kids, Tom and Ida", "Born in Leeds", "Moved to York",
        "Owns 40 shares of Shell", "住在上海", "喜欢爬山", "女儿叫坨坨", "不吃香菜",
    ],
)  # fmt: skip
def test_what_holds_and_is_understood_by_itself_is_a_line(content: str) -> None:
    assert is_eligible(content)


@pytest.mark.parametrize(
    "content",
    [
        "Went to the park and saw a squirrel", "It fits their body well", "Their favourite is that song",
        "Thanks for your advice", "Will do my best to put it into practice", "Likes cooking now and",
        "Saw a film called \"Taxi Driver", "Is going to see you tomorrow", "Has a card, which one is the cheaper one",
        "Thinks like something is missing", "Hiking", "", "Likes tea and " * 20,
        "今天去了公园", "谢谢你的推荐", "这首歌很好听", "觉得博物馆值得去", "女儿不住校了，早上怎么走不堵",
        "喜欢《听妈妈的话",         "可以再试试在家里做些瑜伽",
    ],
)  # fmt: skip
def test_what_happened_points_elsewhere_thanks_asks_or_is_cut_is_none(content: str) -> None:
    assert not is_eligible(content)


@pytest.mark.parametrize(
    "content", ["Likes live music", "Has two kids", "Owen plays football", "Their office is in York"]
)
def test_a_free_sentence_that_states_what_is_so_is_a_line(content: str) -> None:
    assert is_eligible(content, free=True)


@pytest.mark.parametrize(
    "content", ["Gotta keep going", "Sam, ages since we spoke", "Won't forget it, Kim", "Has been looking around"]
)
def test_a_free_sentence_that_speaks_to_somebody_or_of_the_moment_is_none(content: str) -> None:
    assert not is_eligible(content, free=True)


@pytest.mark.parametrize("content", ["Don't lose heart", "Tell me when you are there"])
def test_encouragement_tells_nothing_of_how_to_answer(content: str) -> None:
    assert not is_eligible(content, addressed=True)


@pytest.mark.parametrize("content", ["Don't call me Shelly", "Answer in bullet points", "叫我老王", "回答简短一点"])
def test_how_to_answer_may_speak_to_the_assistant(content: str) -> None:
    assert is_eligible(content, addressed=True)


@pytest.mark.parametrize(
    "content", ["We can stay in touch", "Will try the dishes you recommended", "我会尝试你推荐的菜"]
)
def test_what_is_only_said_to_the_assistant_tells_nothing_of_how_to_answer(content: str) -> None:
    assert not is_eligible(content, addressed=True)


@pytest.mark.parametrize(
    ("content", "slot", "category", "section"),
    [
        ("Lives in Leeds", "home", "home", "who"),
        ("Works as a nurse", "job", "work", "work"),
        ("Has two kids, a boy and a girl", "statement", "", "people"),
        ("Owen plays football", "statement", "", "people"),
        ("Mortgage is about 210,000", "statement", "", "money"),
        ("Prefers index funds", "risk", "preference", "money"),
        ("Likes tea", "likes", "preference", "tastes"),
        ("Answer in bullet points", "instruction", "instruction", "answers"),
        ("Wants to visit Madrid", "statement", "preference", "plans"),
        ("Gets migraines", "statement", "", "health"),
        ("Allergic to peanuts", "allergy", "health", "health"),
        ("住在上海", "home", "home", "who"),
        ("老婆在超市上班", "statement", "", "people"),
        ("花呗关了", "statement", "", "money"),
        ("打算重新装修", "statement", "", "plans"),
        ("尿酸四百六", "statement", "", "health"),
    ],
)
def test_where_a_statement_stands(content: str, slot: str, category: str, section: str) -> None:
    assert section in SECTIONS
    assert section_of(content, slot, category) == section


def test_health_stands_where_it_was_told_on_purpose_and_what_guards_always() -> None:
    assert texts(statement("Gets migraines")) == []
    assert texts(statement("Takes lisinopril with breakfast on the doctor's word")) == []
    assert texts(statement("Gets migraines", is_confirmed=True)) == ["Gets migraines"]
    assert texts(statement("Allergic to peanuts", slot="allergy")) == ["Allergic to peanuts"]


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("Likes hiking", "Likes hiking and climbing", ["Likes hiking and climbing"]),
        ("Likes tea", "Dislikes tea", ["Dislikes tea", "Likes tea"]),
        ("喜欢滑雪", "喜欢滑雪和跑步", ["喜欢滑雪和跑步"]),
        ("喜欢滑雪", "讨厌滑雪", ["喜欢滑雪", "讨厌滑雪"]),
        ("喜欢滑雪", "不喜欢滑雪", ["不喜欢滑雪", "喜欢滑雪"]),
    ],
)
def test_what_is_said_in_more_words_too_stands_once(first: str, second: str, left: list[str]) -> None:
    assert sorted(texts(*(statement(one, category="preference") for one in (first, second)))) == left


def test_a_line_that_speaks_for_two_names_both() -> None:
    narrow, wide = (statement(one, category="preference") for one in ("Likes hiking", "Likes hiking and climbing"))

    [line] = compose_lines([narrow, wide], {}, A_MONDAY.date())

    assert {source.id for source in line.all_sources()} == {narrow.id, wide.id}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Flies to Rome on 5 May 2026", date(2026, 5, 5)),
        ("Moves in May 2026", date(2026, 5, 31)),
        ("Moves in December 2026", date(2026, 12, 31)),
        ("2026年5月3日去看电影", date(2026, 5, 3)),
        ("2026年6月想去旅行", date(2026, 6, 30)),
        ("2027年装修", date(2027, 12, 31)),
        ("On 31 February 2026", None),
        ("Wants to travel", None),
    ],
)
def test_the_last_day_that_a_plan_names(text: str, day: date | None) -> None:
    assert last_day_named(text) == day


@pytest.mark.parametrize("plan", ["Plans to fly to Rome on 5 May 2026", "打算2026年5月5日去罗马"])
def test_a_plan_stands_until_its_day_is_over(plan: str) -> None:
    flies = statement(plan, category="goal")

    assert texts(flies, today=date(2026, 5, 5)) == [plan]
    assert texts(flies, today=date(2026, 5, 6)) == []


def test_what_its_person_left_out_is_no_line() -> None:
    tea = statement("Likes tea", category="preference")

    assert texts(tea, left_out=frozenset({tea.chain})) == []
