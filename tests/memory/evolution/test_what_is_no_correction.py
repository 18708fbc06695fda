"""What puts nothing away by its words, and what a "not that" or a date in the past does put away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from foundation.accounts.models import User
from memory.evolution.resolution import decide
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import KnownItem, StatementCandidate, Utterance
from tests.memory.evolution.support import believed
from tests.support.cast import allow
from tests.support.talk import open_session, say

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def said(text: str) -> list[StatementCandidate]:
    return analyze(Utterance(text, "Alice", NOW))


def slots_and_values(text: str) -> list[tuple[str, str]]:
    return [(found.attributes["slot"], found.attributes["value"]) for found in said(text)]


def known(slot: str, value: str, at: datetime) -> KnownItem:
    return KnownItem(uuid4(), "user", slot, value, value, "observation", "observation", 0.5, at)


@pytest.mark.parametrize(
    ("text", "disliked", "liked"),
    [
        ("I don't like cilantro but I love jasmine tea", "cilantro", "jasmine tea"),
        ("I do not enjoy running, but I love swimming", "running", "swimming"),
        ("I don't like opera and I like jazz", "opera", "jazz"),
        ("我不喜欢香菜，但我喜欢茉莉花茶", "香菜", "茉莉花茶"),
        ("我不喜欢跑步，不过我喜欢游泳", "跑步", "游泳"),
    ],
)
def test_a_dislike_beside_a_liking_is_two_statements(text: str, disliked: str, liked: str) -> None:
    assert slots_and_values(text) == [("dislikes", disliked), ("likes", liked)]
    assert not any(found.replaces for found in said(text))


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("I don't like coffee any more, I love tea", "coffee"),
        ("I no longer like coffee but I love tea", "coffee"),
        ("I don't like coffee, I now like tea", "coffee"),
        ("I don't like coffee, I like tea instead", "coffee"),
        ("我不再喜欢咖啡了，喜欢茶", "咖啡"),
        ("我现在不喜欢咖啡，喜欢茶", "咖啡"),
    ],
)
def test_words_of_replacement_make_it_a_correction(text: str, old: str) -> None:
    [found] = said(text)
    assert (found.replaces, found.replaced_value) == (True, old)


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("I follow BTC", "Actually I follow ETH, not BTC", {"Follows ETH"}),
        ("I follow BTC", "I follow ETH instead of BTC", {"Follows ETH"}),
        ("I follow BTC", "I follow ETH not BTC", {"Follows ETH"}),
        ("I follow BTC and SOL", "Actually I follow ETH, not BTC", {"Follows ETH", "Follows SOL"}),
        ("I follow BTC and ETH", "I follow ETH, not BTC", {"Follows ETH"}),
        ("I like coffee", "I like tea but not coffee", {"Likes tea"}),
        ("I like coffee", "I like tea, not only in the morning", {"Likes coffee", "Likes tea"}),
        ("I hold BTC", "I hold ETH, not BTC", {"Holds ETH"}),
        ("My budget is 300", "My budget is 500, not 50", {"Budget: 500"}),
        ("I live in Berlin", "I live in Munich, not Berlin", {"Lives in Munich"}),
        ("我关注BTC", "其实我关注ETH，不是BTC", {"关注ETH"}),
        ("我关注BTC", "我关注的是ETH，而不是BTC", {"关注ETH"}),
        ("我喜欢咖啡", "我喜欢茶，不是咖啡", {"喜欢茶"}),
        ("我喜欢咖啡", "我喜欢茶，不是因为便宜", {"喜欢咖啡", "喜欢茶"}),
        ("我喜欢喝乌龙茶", "我不喝乌龙茶了，现在喜欢喝咖啡", {"不喝乌龙茶", "喜欢喝咖啡"}),
        ("我喜欢乌龙茶", "我不喝乌龙茶了", {"不喝乌龙茶"}),
        ("I like drinking oolong", "I don't drink oolong any more", {"Does not eat or drink oolong"}),
        ("我不喝咖啡", "我喜欢喝咖啡", {"喜欢喝咖啡"}),
        ("I like fish", "I don't eat fish", {"Likes fish", "Does not eat or drink fish"}),
        ("我喜欢鱼", "我不吃鱼", {"喜欢鱼", "不吃鱼"}),
        ("我在招商银行工作", "我在上海工作，住在苏州", {"在招商银行工作", "在上海工作", "住在苏州"}),
        ("I work at Google", "I work in Shanghai", {"Works at Google", "Works in Shanghai"}),
        ("I work in finance", "I work in Shanghai", {"Works in Finance", "Works in Shanghai"}),
        ("I live in Oslo", "I moved to Beijing in 2019 and I grew up in Chengdu", {"Lives in Oslo", "From Chengdu"}),
        ("我住在上海", "我2019年搬到了北京", {"住在上海"}),
        ("I live in Shanghai", "I moved to Beijing", {"Moved to Beijing"}),
    ],
)  # fmt: skip
def test_what_stays_in_force(alice: User, before: str, text: str, after: set[str]) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, before)
    say(alice, session, text)
    assert {one.casefold() for one in believed(alice)} == {one.casefold() for one in after}


@pytest.mark.parametrize("text", ["我在北京银行上班", "我在上海汽车工作", "我在超市工作", "I work at Shanghai Motors"])
def test_an_employer_named_after_a_place_is_an_employer(text: str) -> None:
    assert [slot for slot, _ in slots_and_values(text)] == ["employer"]


@pytest.mark.parametrize(
    "text",
    ["我在上海上班", "我现在在苏州工业园区工作", "我在昆山市工作", "I'm working in London", "I work in Oslo now"],
)
def test_a_place_of_work_is_no_employer(text: str) -> None:
    assert [slot for slot, _ in slots_and_values(text)] == ["employer.place"]


@pytest.mark.parametrize(
    ("text", "stated", "action"),
    [
        ("I moved to Beijing in 2019", datetime(2015, 1, 1, tzinfo=UTC), "SUPERSEDE"),
        ("I moved to Beijing in 2019", NOW - timedelta(days=1), "NONE"),
        ("In 2019, I moved to Beijing", NOW - timedelta(days=1), "NONE"),
        ("Back in 2019 I moved to Beijing", NOW - timedelta(days=1), "NONE"),
        ("In May 2019 I moved to Beijing", NOW - timedelta(days=1), "NONE"),
        ("I moved to Beijing back in 2019", NOW - timedelta(days=1), "NONE"),
        ("Three years ago I moved to Beijing", NOW - timedelta(days=1), "NONE"),
        ("I moved to Beijing about three years ago", NOW - timedelta(days=1), "NONE"),
        ("Three years ago I moved to Beijing", datetime(2015, 1, 1, tzinfo=UTC), "SUPERSEDE"),
        ("Actually, I moved to Beijing in 2019", NOW - timedelta(days=1), "SUPERSEDE"),
        ("I moved to Beijing last month", NOW - timedelta(days=1), "SUPERSEDE"),
        ("I moved to Beijing last year", NOW - timedelta(days=1), "NONE"),
        ("我三年前搬到了北京", NOW - timedelta(days=1), "NONE"),
        ("2019年的时候，我搬到了北京", NOW - timedelta(days=1), "NONE"),
        ("我上个月搬到了北京", NOW - timedelta(days=1), "SUPERSEDE"),
        ("我今年搬到了北京", NOW - timedelta(days=1), "SUPERSEDE"),
        ("我2019年搬到了北京", datetime(2015, 1, 1, tzinfo=UTC), "SUPERSEDE"),
    ],
)
def test_a_move_in_a_past_year_ends_only_what_was_true_before(text: str, stated: datetime, action: str) -> None:
    [found] = said(text)
    assert decide(found, [known("home", "上海", stated)]).action == action


def test_what_was_sold_in_a_past_year_may_be_held_since() -> None:
    [found] = said("我2019年清仓了腾讯")
    assert decide(found, [known("holds.腾讯", "200股腾讯", NOW - timedelta(days=1))]).action == "NONE"
    assert decide(found, [known("holds.腾讯", "200股腾讯", datetime(2015, 1, 1, tzinfo=UTC))]).action == "RETIRE"
