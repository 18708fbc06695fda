"""A budget is one thing in either language: one slot, equally sure, and a later one replaces it. Pure, but for one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foundation.accounts.models import User
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import StatementCandidate, Utterance
from tests.memory.evolution.support import believed
from tests.support.cast import allow
from tests.support.talk import open_session, say


def found_in(text: str) -> StatementCandidate:
    [found] = analyze(Utterance(text, "Alice", datetime(2026, 3, 2, tzinfo=UTC)))
    return found


@pytest.mark.parametrize(
    ("english", "chinese", "slot", "value"),
    [
        ("My budget is 5000", "我的预算是5000", "budget", "5000"),
        ("My budget is 5000 now", "我的预算目前是5000", "budget", "5000"),
        ("My budget is now 5000", "我的预算现在是5000", "budget", "5000"),
        ("My budget has changed to 5000", "我的预算改成5000了", "budget", "5000"),
        ("My budget changed from 4000 to 5000", "我的预算从4000改成5000", "budget", "5000"),
        ("I raised my budget to 5000", "我把预算提高到5000", "budget", "5000"),
        ("My total budget is 5000", "我的总预算是5000", "budget", "5000"),
        ("My monthly budget is 5000", "我每个月的预算是5000", "monthly_budget", "5000"),
        ("My travel budget is 5000", "我的旅行预算是5000", "travel_budget", "5000"),
        ("My yearly budget is 5000", "我的年度预算是5000", "annual_budget", "5000"),
    ],
)
def test_both_languages_land_in_one_slot_at_one_confidence(english: str, chinese: str, slot: str, value: str) -> None:
    one, other = found_in(english), found_in(chinese)
    assert one.attributes["slot"] == other.attributes["slot"] == slot
    assert one.attributes["value"] == other.attributes["value"] == value
    assert (one.confidence, one.provenance) == (other.confidence, other.provenance) == (0.9, "confirmed_by_user")


@pytest.mark.parametrize("text", ["我的预算是五千", "我的预算是每月5000元", "预算大概五千块"])
def test_so_does_an_amount_in_words_or_by_the_month(text: str) -> None:
    found = found_in(text)
    assert (found.attributes["slot"], found.confidence) == ("budget", 0.9)


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("My budget is 5000", "我的预算是6000", {"预算：6000"}),
        ("我的预算是5000", "My budget is 6000", {"Budget: 6000"}),
        ("我的预算是5000", "我的预算改成6000了", {"预算：6000"}),
        ("My budget is 5000", "My budget has changed to 6000", {"Budget: 6000"}),
    ],
)
def test_the_later_one_takes_the_place_of_the_earlier(alice: User, first: str, second: str, left: set[str]) -> None:
    allow(alice)
    say(alice, open_session(alice), first)
    say(alice, open_session(alice), second)
    assert believed(alice) == left
