"""What a candidate does to the known items."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.evolution.resolution import decide
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import KnownItem, StatementCandidate, Utterance

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
EARLIER, LATER = NOW - timedelta(days=30), NOW + timedelta(days=30)


def item(
    slot: str, value: str, at: datetime = EARLIER, provenance: str = "observation", subject: str = "user"
) -> KnownItem:
    return KnownItem(uuid4(), subject, slot, value, value, "preference", provenance, 0.5, at)


def candidate(text: str) -> StatementCandidate:
    [found] = analyze(Utterance(text, "Alice", NOW))
    return found


@pytest.mark.parametrize(("text", "known", "content"), [
    ("Not hiking, but cycling.", "hiking", "Likes cycling, not hiking"),
    ("不是徒步，是骑行", "徒步", "喜欢骑行，不是徒步"),
])  # fmt: skip
def test_a_correction_that_names_no_taste_speaks_of_the_one_it_puts_away(text: str, known: str, content: str) -> None:
    found = candidate(text)
    assert (found.corrects_only, found.replaced_value, found.content) == (True, known, content)


@pytest.mark.parametrize(
    ("text", "slot", "value", "action"),
    [
        ("I live in Munich", "home", "Berlin", "SUPERSEDE"),
        ("I live in Berlin", "home", "berlin", "NONE"),
        ("我住在北京", "home", "上海", "SUPERSEDE"),
        ("I follow BTC", "follows", "ETH", "ADD"),
        ("I follow BTC", "follows", "btc", "NONE"),
        ("I no longer follow BTC", "follows", "BTC", "RETIRE"),
        ("I no longer follow BTC", "follows", "ETH", "NONE"),
        ("我不再关注BTC了", "follows", "BTC", "RETIRE"),
        ("不是运动风，我现在喜欢简约的", "style", "运动风", "SUPERSEDE"),
        ("我现在不喜欢运动风了，喜欢简约的", "style", "运动风的", "SUPERSEDE"),
        ("I used to like jazz, but now I love techno", "likes", "jazz", "SUPERSEDE"),
        ("I used to like jazz, but now I love techno", "likes", "rock", "ADD"),
        ("I hate coffee", "likes", "coffee", "SUPERSEDE"),
        ("I hate coffee", "likes", "tea", "ADD"),
        ("我讨厌咖啡", "likes", "咖啡", "SUPERSEDE"),
        ("I sold all my TSLA shares", "holds.tsla", "100 shares of TSLA", "RETIRE"),
        ("I sold all my TSLA shares", "holds.aapl", "200 shares of AAPL", "NONE"),
        ("I hold 300 shares of AAPL", "holds.aapl", "200 shares of AAPL", "SUPERSEDE"),
        ("I no longer live in Berlin", "home", "Munich", "NONE"),
        ("Remember that I live in Berlin", "home", "Berlin", "CONFIRM"),
        ("记住我对花生过敏", "allergy", "花生", "CONFIRM"),
        ("I prefer tea over coffee", "likes", "coffee", "ADD"),
        ("Not hiking, but cycling.", "likes", "hiking", "SUPERSEDE"),
        ("Not anger, but sorrow", "likes", "hiking", "NONE"),
        ("不是徒步，是骑行", "likes", "徒步", "SUPERSEDE"),
        ("My adviser is called Marcus now", "adviser", "Helen", "SUPERSEDE"),
        ("我的理财顾问换成小刘了", "理财顾问", "小张", "SUPERSEDE"),
        ("I think Tencent is overvalued", "opinion:tencent", "Tencent is undervalued", "SUPERSEDE"),
        ("我现在觉得腾讯被高估了", "opinion:腾讯", "腾讯被低估了", "SUPERSEDE"),
        ("I now wake up at 7", "schedule.wake_up", "at 5", "SUPERSEDE"),
        ("我的瑜伽改成每周四晚上了", "schedule.瑜伽", "每周二晚上", "SUPERSEDE"),
        ("I've switched from coffee to tea", "likes", "coffee", "SUPERSEDE"),
        ("我把比特币卖光了", "holds.比特币", "2枚比特币", "RETIRE"),
        ("I switched from Excel to Numbers", "uses", "Excel", "SUPERSEDE"),
        ("I hate Excel", "uses", "Excel", "ADD"),
        ("I stopped going to the gym", "schedule.gym", "on Mondays and Fridays", "RETIRE"),
        ("I stopped going to the gym", "schedule.yoga", "on Mondays", "NONE"),
        ("我不再去健身房了", "schedule.健身房", "每周一和周五", "RETIRE"),
        ("My daughter is 7", "daughter.name", "Eve", "ADD"),
    ],
)
def test_decision(text: str, slot: str, value: str, action: str) -> None:
    known = item(slot, value)
    decision = decide(candidate(text), [known])
    assert decision.action == action
    assert (decision.target == known.memory_id) is (action in {"SUPERSEDE", "RETIRE", "CONFIRM"}) or action == "NONE"


def test_an_older_statement_never_supersedes_a_newer_one() -> None:
    newer = item("home", "Munich", at=LATER)
    assert decide(candidate("I live in Berlin"), [newer]).action == "NONE"
    assert decide(candidate("I no longer live in Munich"), [newer]).action == "NONE"


@pytest.mark.parametrize(("since", "action"), [(LATER, "NONE"), (EARLIER, "CONFIRM")])
def test_an_older_statement_confirms_nothing_that_a_newer_one_contradicts(since: datetime, action: str) -> None:
    waiting, rival = item("home", "Berlin"), item("home", "Munich", at=since)
    assert decide(candidate("Remember that I live in Berlin"), [waiting, rival]).action == action


def test_another_subject_is_never_touched() -> None:
    other = item("home", "Munich", subject="user.sister")
    assert decide(candidate("I live in Berlin"), [other]).action == "ADD"


def test_the_named_value_goes_even_beside_a_newer_one() -> None:
    jazz, rock = item("likes", "jazz"), item("likes", "rock", at=NOW - timedelta(days=1))
    assert decide(candidate("I used to like jazz, but now I love techno"), [rock, jazz]).target == jazz.memory_id


def test_a_confirmed_item_is_not_confirmed_again() -> None:
    known = item("home", "Berlin", provenance="confirmed_by_user")
    assert decide(candidate("Remember that I live in Berlin"), [known]).action == "NONE"


@given(st.permutations(["Berlin", "Munich", "Hamburg"]))
def test_the_order_of_the_known_items_does_not_matter(values: list[str]) -> None:
    ages = {"Berlin": 90, "Munich": 60, "Hamburg": 30}
    known = [item("home", value, at=NOW - timedelta(days=ages[value])) for value in values]
    decision = decide(candidate("I live in Cologne"), known)
    assert decision.target == next(entry.memory_id for entry in known if entry.value == "Hamburg")
