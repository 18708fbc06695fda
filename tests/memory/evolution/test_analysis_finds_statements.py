"""What the offline analyzer finds: one row per statement, Chinese and English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.evolution.analysis import analyze
from memory.evolution.types import Candidate, Utterance

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def said(text: str, after: str = "") -> list[Candidate]:
    return analyze(Utterance(text, "Alice", NOW, after))


def slots_and_values(candidates: list[Candidate]) -> list[tuple[str, str]]:
    return [(found.attributes["slot"], found.attributes["value"]) for found in candidates]


DECLARED = [
    ("I prefer window seats", "likes", "window seats", "preference"),
    ("I prefer concise answers", "reply_style", "concise answers", "preference"),
    ("I really enjoy hiking", "likes", "hiking", "preference"),
    ("I'm a huge fan of Lord of the Rings", "likes", "Lord of the Rings", "preference"),
    ("I can't stand long emails", "dislikes", "long emails", "preference"),
    ("I'm not a fan of bonds", "dislikes", "bonds", "preference"),
    ("I follow BTC", "follows", "BTC", "preference"),
    ("I live in Berlin with my wife", "home", "Berlin", "fact"),
    ("I work as a nurse in Berlin", "job", "a nurse", "fact"),
    ("I'm a software engineer at Siemens", "job", "a software engineer at Siemens", "fact"),
    ("I'm a conservative investor", "risk", "conservative investor", "preference"),
    ("I'm 34 years old", "age", "34", "fact"),
    ("I have two kids and a dog named Max", "family", "two kids and a dog named Max", "fact"),
    ("I’m allergic to cats", "allergy", "cats", "fact"),
    ("I'm vegan", "diet", "vegan", "fact"),
    ("I don't eat pork", "diet.avoids", "pork", "fact"),
    ("I hold 200 shares of AAPL", "holds.aapl", "200 shares of AAPL", "fact"),
    ("I wake up at 6 every day", "schedule", "at 6 every day", "fact"),
    ("I've been investing for ten years", "experience", "investing for ten years", "fact"),
    ("My time horizon is 5 years", "horizon", "5 years", "preference"),
    ("my favourite colour is blue", "favourite_colour", "blue", "fact"),
    ("Harry Potter is my favorite book", "favourite_book", "Harry Potter", "preference"),
    ("I think Tesla is overpriced", "opinion:tesla_is_overpriced", "Tesla is overpriced", "opinion"),
    ("I'm learning German now", "learning", "German", "fact"),
    ("我喜欢吃辣", "likes", "吃辣", "preference"),
    ("我喜歡簡約風格", "style", "簡約風格", "preference"),
    ("我更喜欢简短的回答", "reply_style", "简短的回答", "preference"),
    ("我讨厌长篇大论", "dislikes", "长篇大论", "preference"),
    ("我对比特币很感兴趣", "likes", "比特币", "preference"),
    ("我对期权没兴趣", "dislikes", "期权", "preference"),
    ("我住在北京", "home", "北京", "fact"),
    ("我在腾讯工作", "employer", "腾讯", "fact"),
    ("我是一名护士", "job", "护士", "fact"),
    ("我是保守型投资者", "risk", "保守型", "preference"),
    ("我今年30岁", "age", "30", "fact"),
    ("我有两个孩子", "family", "两个孩子", "fact"),
    ("我不吃香菜", "diet.avoids", "香菜", "fact"),
    ("我吃素", "diet", "吃素", "fact"),
    ("我持有200股腾讯", "holds.腾讯", "200股腾讯", "fact"),
    ("我重仓茅台", "holds.茅台", "茅台", "fact"),
    ("我每天早上6点起床", "schedule", "每天早上6点起床", "fact"),
    ("我做短线", "horizon", "短线", "preference"),
    ("我的生日是5月3日", "生日", "5月3日", "fact"),
    ("我儿子今年5岁", "儿子", "5岁", "fact"),
    ("我最喜欢的电影是《肖申克的救赎》", "favourite.电影", "《肖申克的救赎》", "preference"),
    ("我觉得茅台太贵了", "opinion:茅台太贵", "茅台太贵了", "opinion"),
    ("我也很喜欢科幻电影，如果你喜欢可以去看一下", "likes", "科幻电影", "preference"),
]


@pytest.mark.parametrize(("text", "slot", "value", "epistemic"), DECLARED)
def test_a_mention_in_passing_is_an_observation_worth_one_half(
    text: str, slot: str, value: str, epistemic: str
) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert found.epistemic_type == epistemic
    assert (found.provenance, found.confidence) == ("observation", 0.5)


EXPLICIT = [
    ("Please remember that I prefer short answers", "reply_style", "short answers"),
    ("Remember: my wife's birthday is May 3", "wife's_birthday", "May 3"),
    ("Note that I'm diabetic", "diet", "diabetic"),
    ("From now on, answer in Chinese.", "language.reply", "answer in Chinese"),
    ("Always cite your sources", "instruction", "Always cite your sources"),
    ("I'd like concise answers", "reply_style", "concise answers"),
    ("nothing above 500", "constraint.limit", "500"),
    ("I don't want anything over $500 please", "constraint.limit", "$500"),
    ("My budget is 500 euros", "budget", "500 euros"),
    ("Don't recommend crypto", "constraint.avoid", "crypto"),
    ("Sorry, call me Al", "address", "Al"),
    ("请记住：我老婆的生日是5月3日", "老婆生日", "5月3日"),
    ("记住我对花生过敏", "allergy", "花生"),
    ("记得我是左撇子", "note", "我是左撇子"),
    ("以后都用中文回答", "language.reply", "用中文回答"),
    ("从现在开始，请用英文回复", "language.reply", "用英文回复"),
    ("我希望你回答简洁一点", "reply_style", "回答简洁一点"),
    ("超过500的不要", "constraint.limit", "超过500的"),
    ("预算500以内", "budget", "500以内"),
    ("别给我推荐期权", "constraint.avoid", "期权"),
    ("叫我小王就好", "address", "小王"),
]


@pytest.mark.parametrize(("text", "slot", "value"), EXPLICIT)
def test_an_instruction_or_a_constraint_is_confirmed_by_the_user(text: str, slot: str, value: str) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert (found.provenance, found.confidence) == ("confirmed_by_user", 0.9)


CHANGES = [
    ("不是运动风，我现在喜欢简约的", "style", "简约的", "运动风"),
    ("我现在不喜欢运动风了，喜欢简约的", "style", "简约的", "运动风"),
    ("我以前喜欢咖啡，但现在更喜欢茶", "likes", "茶", "咖啡"),
    ("把咖啡换成茶", "likes", "茶", "咖啡"),
    ("我不是学生，是老师", "job", "老师", "学生"),
    ("换成简约风", "style", "简约风", None),
    ("其实我住在深圳", "home", "深圳", None),
    ("不对，我住在深圳", "home", "深圳", None),
    ("not sporty, I now like minimalist clothes", "style", "minimalist clothes", "sporty"),
    ("I prefer not tea, but coffee", "likes", "coffee", "tea"),
    ("I don't like coffee anymore, I now prefer tea", "likes", "tea", "coffee"),
    ("I used to like jazz, but now I love techno", "likes", "techno", "jazz"),
    ("I switched from coffee to green tea", "likes", "green tea", "coffee"),
    ("Actually, I live in Munich now.", "home", "Munich", None),
    ("That's wrong. I live in Munich", "home", "Munich", None),
    ("Switch to English please", "language.reply", "English", None),
]


@pytest.mark.parametrize(("text", "slot", "value", "old"), CHANGES)
def test_a_correction_replaces_and_is_confirmed(text: str, slot: str, value: str, old: str | None) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert (found.replaces, found.replaced_value) == (True, old)
    assert (found.provenance, found.confidence) == ("confirmed_by_user", 0.9)


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I no longer follow BTC", "follows", "BTC"),
        ("I stopped following TSLA", "follows", "TSLA"),
        ("I sold all my TSLA shares", "holds.tsla", "TSLA"),
        ("I no longer live in Berlin", "home", "Berlin"),
        ("我不再关注BTC了", "follows", "BTC"),
        ("我清仓了腾讯", "holds.腾讯", "腾讯"),
        ("我从阿里离职了", "employer", "阿里"),
    ],
)
def test_taking_a_value_back_is_negative(text: str, slot: str, value: str) -> None:
    [found] = said(text)
    assert (found.attributes["slot"], found.attributes["value"]) == (slot, value)
    assert found.attributes["polarity"] == "negative"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I prefer concise answers and I follow BTC",
            [("reply_style", "concise answers"), ("follows", "BTC")],
        ),
        ("I like hiking; I hate running", [("likes", "hiking"), ("dislikes", "running")]),
        ("I like tea and hate coffee", [("likes", "tea"), ("dislikes", "coffee")]),
        ("I hold BTC and ETH", [("holds.btc", "BTC"), ("holds.eth", "ETH")]),
        ("我在上海工作，喜欢喝咖啡", [("employer", "上海"), ("likes", "喝咖啡")]),
        ("我喜欢吃辣，但不喜欢甜食", [("likes", "吃辣"), ("dislikes", "甜食")]),
        ("我喜欢晴朗、温暖的天气", [("likes", "晴朗、温暖的天气")]),
    ],
)
def test_joined_statements_come_apart(text: str, expected: list[tuple[str, str]]) -> None:
    assert slots_and_values(said(text)) == expected


@pytest.mark.parametrize("text", ["我关注 BTC, 600519.SH 和 贵州茅台", "I follow BTC, 600519.SH and 贵州茅台"])
def test_a_watch_list_is_one_candidate_per_name(text: str) -> None:
    assert slots_and_values(said(text)) == [
        ("follows", "BTC"),
        ("follows", "600519.SH"),
        ("follows", "贵州茅台"),
    ]


@pytest.mark.parametrize(
    ("reply", "question", "slot"),
    [
        ("yes", "Do you prefer concise answers?", "reply_style"),
        ("Yes please.", "Should I always answer in Chinese?", "language.reply"),
        ("Yes, exactly", "So you live in Berlin, right?", "home"),
        ("对", "你喜欢简约风吗？", "style"),
        ("好的", "要不要我以后都用中文回答？", "language.reply"),
        ("嗯，对", "您不吃辣，对吗？", "diet.avoids"),
    ],
)
def test_a_yes_confirms_what_was_asked(reply: str, question: str, slot: str) -> None:
    [found] = said(reply, after=question)
    assert found.attributes["slot"] == slot
    assert (found.provenance, found.confidence) == ("confirmed_by_user", 0.9)
    assert found.rule.startswith("confirmed:")


@pytest.mark.parametrize(
    "text", ["keep it short please", "Could you answer in English?", "能简短一点吗？", "请用英文回答"]
)
def test_a_single_request_is_only_a_signal(text: str) -> None:
    [found] = said(text)
    assert found.provenance == "observation"
    assert found.confidence < 0.5


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I prefer concise answers", "Prefers concise answers"),
        ("I wake up at 6 every day", "Wakes up at 6 every day"),
        ("我现在不喜欢运动风了，喜欢简约的", "不再喜欢运动风，喜欢简约的"),
        ("我对花生过敏", "对花生过敏"),
    ],
)
def test_content_reads_alone_in_the_users_own_words(text: str, content: str) -> None:
    assert [found.content for found in said(text)] == [content]


def test_the_quote_is_the_exact_clause_and_time_is_when_it_was_said() -> None:
    text = "Well, I live in Berlin and work as a nurse."
    for found in said(text):
        assert found.quote in text
        assert found.valid_at == NOW


def test_a_comparison_does_not_put_the_lesser_liked_thing_away() -> None:
    [found] = said("I prefer tea over coffee")
    assert found.replaced_value is None
