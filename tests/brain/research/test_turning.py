"""Whether a thesis was turned round, and which question asks the same as another."""

from __future__ import annotations

import pytest

from finclaw.brain.material.polarity import side_of
from finclaw.brain.research.comparison import is_reversed, merge_known_questions


@pytest.mark.parametrize(
    ("before", "after", "turned"),
    [
        ("I am bullish on NVDA.", "I am bearish on NVDA.", True),
        ("I am bullish on NVDA.", "I am no longer bullish on NVDA.", True),
        ("I think Nvidia will grow as margins are rising.", "I now think Nvidia is overvalued.", True),
        ("I am bullish on NVDA.", "I remain bullish on NVDA because margins rose.", False),
        ("I am bullish on NVDA.", "", False),
        ("我看好茅台。", "我现在看空茅台。", True),
        ("我看好茅台。", "我不再看好茅台。", True),
        ("我认为茅台的护城河稳固。", "我不再认为茅台的护城河稳固。", True),
        ("I think SOL will last.", "I no longer think that SOL will last.", True),
        ("我看好茅台。", "我依然看好茅台，批价稳定。", False),
    ],
)
def test_a_thesis_is_turned_round_where_it_takes_the_other_side(before: str, after: str, *, turned: bool) -> None:
    assert is_reversed(before, after) is turned


@pytest.mark.parametrize(
    ("thesis", "side"),
    [
        ("I think Nvidia keeps its lead unless margins fall below 70%.", ""),
        ("I am bullish on NVDA unless margins fall.", "for"),
        ("If margins fall, I remain bullish.", "for"),
        ("我看好茅台，除非批价下跌。", "for"),
        ("如果批价下跌，我就看空茅台。", "against"),
    ],
)
def test_what_would_end_a_thesis_is_not_its_side(thesis: str, side: str) -> None:
    assert side_of(thesis) == side


def test_one_condition_is_watched_once_whatever_language_asks() -> None:
    known = ["是否已经出现：如果批价跌破1500元，论点失效。", "Do fees hold?"]
    asked = [
        "Has this come about: 如果批价跌破1500元，论点失效。",
        "Do fees hold?",
        "Will it last?",
        "是否已经出现：Will it last?",
    ]

    assert merge_known_questions(asked[:3], known) == (*known, "Will it last?")
    assert len(merge_known_questions(asked, [])) == 3
