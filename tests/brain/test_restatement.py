"""A later message that says otherwise stands in an earlier one's place, learned or not. No database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from finclaw.brain.recall.restatement import find_restatements
from finclaw.brain.types import PromptCandidate

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def said(text: str, day: int, **fields: object) -> PromptCandidate:
    values: dict[str, object] = {
        "kind": "turn", "id": uuid4(), "text": text, "score": 1.0, "tokens": 10,
        "occurred_at": NOW + timedelta(days=day), "said_by": "the user",
    }  # fmt: skip
    return PromptCandidate(**(values | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I bank with the Savings Bank", "I switched from the Savings Bank to Revolut"),
        ("My adviser is called Helen.", "My adviser is called Marcus now."),
        ("The fund charges 0.4 percent a year", "The fund charges 0.2 percent a year since June"),
        ("The dentist is on Tuesday", "Actually, the dentist is on Thursday"),
        ("I go to choir practice", "I no longer go to choir practice"),
        ("我的理财顾问叫小张。", "我的理财顾问换成小刘了。"),
        ("我每个月存2000元养老金。", "我每个月存养老金改成3500元了。"),
        ("我打算十一月去日本旅行。", "说错了，去日本旅行是明年四月。"),
    ],
)
def test_what_is_said_otherwise_later_is_replaced(before: str, after: str) -> None:
    older, later = said(before, 1), said(after, 2)
    assert find_restatements([later, older]) == {older.id: later.id}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I ran the marathon with Ann", "I ran the half marathon with Ann"),  # two events, and nothing changed
        ("I go to the gym on Mondays and Fridays", "I'm at the gym now"),
        ("I like jazz", "I no longer follow NVDA"),
        ("我喜欢喝茶", "我现在住在杭州"),
        ("我周一去健身房", "今天天气不错"),
    ],
)
def test_what_only_speaks_of_the_same_replaces_nothing(before: str, after: str) -> None:
    assert find_restatements([said(before, 1), said(after, 2)]) == {}


def test_only_the_persons_own_later_messages_count() -> None:
    mine = said("I bank with Barclays", 2)
    theirs = said("I switched from Barclays to Monzo", 3, said_by="Bob")
    earlier = said("I switched from Barclays to Monzo", 1)
    memory = said("Switched from Barclays to Monzo", 3, kind="item")
    assert find_restatements([mine, theirs, earlier, memory]) == {}


def test_of_several_the_latest_stands() -> None:
    first, second, third = (
        said("My adviser is called Helen.", 1),
        said("My adviser is called Marcus now.", 2),
        said("My adviser is called Ines now.", 3),
    )
    assert find_restatements([first, second, third]) == {first.id: third.id, second.id: third.id}
