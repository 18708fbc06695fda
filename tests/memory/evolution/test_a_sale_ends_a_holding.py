"""A position that was sold is held no longer, whenever it was sold and however that is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foundation.accounts.models import User
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import Utterance
from tests.memory.evolution.support import believed
from tests.support.cast import allow
from tests.support.talk import open_session, say

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "sold"),
    [
        ("I sold all my Nvidia shares yesterday.", "holds.nvidia"),
        ("Yesterday I sold all of my Tesla shares", "holds.tesla"),
        ("I finally sold all my AAPL last week", "holds.aapl"),
        ("sold all my nvda this morning", "holds.nvda"),
        ("I closed my Nvidia position last month", "holds.nvidia"),
        ("I got rid of my Tesla shares", "holds.tesla"),
        ("茅台我已经清仓了", "holds.茅台"),
        ("茅台我昨天全卖了", "holds.茅台"),
    ],
)
def test_a_dated_sale_names_what_was_sold(sentence: str, sold: str) -> None:
    (found,) = analyze(Utterance(sentence, "Alice", NOW))
    assert (found.attributes["slot"], found.attributes["polarity"]) == (sold, "negative")


@pytest.mark.parametrize(
    "sentence",
    [
        "I sold half of my Nvidia yesterday",
        "I sold some of my Nvidia shares",
        "基金经理清仓了",
        "英伟达已经卖光了",
        "She sold all my arguments short",
    ],
)
def test_neither_a_part_nor_somebody_elses_sale(sentence: str) -> None:
    assert [
        found for found in analyze(Utterance(sentence, "Alice", NOW)) if found.attributes["polarity"] != "positive"
    ] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("held", "kept", "sold"),
    [
        ("I hold TSLA", "Holds TSLA", "I sold all my TSLA shares yesterday."),
        ("我持有茅台", "持有茅台", "茅台我已经清仓了"),
    ],
)
def test_the_holding_gives_way(alice: User, held: str, kept: str, sold: str) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, held)
    assert believed(alice) == {kept}
    say(alice, session, sold)
    assert believed(alice) == set()
