"""Two hundred expressions of time and more, thirty that only look like one, and some that nobody can place, against
absolute words reasoned out by hand.

``expressions.jsonl``: each sentence with the instant and zone it was said at and the sentence it should become. Days
are exact, weeks run from Monday, an hour is an hour of real time, and what the words leave open stays open ("around").
What is ``left`` of an ``open`` one is listed as unresolved.
"""

# ruff: noqa: SIM905 - word lists read best as text

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from foundation.language import cjk_share
from memory.rewriting.absoluteness_checks import violations
from memory.rewriting.rule_rewriter import rewrite_by_rules, with_absolute_times
from memory.rewriting.types import Draft, EventClock
from memory.rewriting.unresolved_times import open_times

ENOUGH = 0.97
ROWS: list[dict[str, str]] = [
    json.loads(line) for line in Path(__file__).with_name("expressions.jsonl").read_text(encoding="utf-8").splitlines()
]


def _resolved(row: dict[str, str]) -> str:
    return with_absolute_times(row["text"], EventClock(datetime.fromisoformat(row["at"]), row["zone"]))


def test_the_set_holds_a_hundred_of_each_language_and_thirty_look_alikes() -> None:
    kinds = Counter((row["kind"], cjk_share(row["text"]) > 0) for row in ROWS)
    assert min(kinds["resolved", False], kinds["resolved", True]) >= 100
    assert kinds["protected", False] + kinds["protected", True] >= 30
    assert all((row["text"] == row["expected"]) == (row["kind"] != "resolved") for row in ROWS)


@pytest.mark.parametrize("chinese", [False, True])
def test_expressions_are_resolved_as_a_person_would(chinese: bool) -> None:
    rows = [row for row in ROWS if row["kind"] == "resolved" and (cjk_share(row["text"]) > 0) == chinese]
    wrong = [(row["text"], found, row["expected"]) for row in rows if (found := _resolved(row)) != row["expected"]]
    assert len(wrong) <= (1 - ENOUGH) * len(rows), wrong


def test_what_only_looks_relative_stays_to_the_letter() -> None:
    assert [found for row in ROWS if row["kind"] == "protected" and (found := _resolved(row)) != row["text"]] == []


def _unresolved(row: dict[str, str]) -> tuple[str, ...]:
    clock = EventClock(datetime.fromisoformat(row["at"]), row["zone"])
    return rewrite_by_rules(Draft("", row["text"], "Alice", "FinClaw"), clock).unresolved


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "open"], ids=lambda row: row["text"])
def test_what_nobody_can_place_stays_and_is_listed(row: dict[str, str]) -> None:
    assert _resolved(row) == row["text"]
    assert row["left"] in _unresolved(row)


@pytest.mark.parametrize("kind", ["resolved", "protected"])
def test_nothing_else_is_listed_for_its_time(kind: str) -> None:
    listed = [(row["text"], left) for row in ROWS if row["kind"] == kind and (left := list(open_times(_resolved(row))))]
    assert listed == []


def test_nothing_resolved_is_relative_still() -> None:
    resolved = [_resolved(row) for row in ROWS if row["kind"] != "open"]
    left = [(text, found.text) for text in resolved for found in violations(text) if found.kind == "relative_time"]
    assert left == []


# The seed's lists to the letter (seed D §3.4), and what they are in English.
PRONOUNS = (
    "我 你 他 她 它 他们 她们 它们 这位 那位 I me my mine myself you your yours he him his she her hers it its they "
    "them their we us our ours".split()
)
TIMES = [
    *"今天 昨天 明天 刚才 刚刚 稍后 上周 下周 最近 today yesterday tomorrow later recently lately soon tonight".split(),
    "just now", "a moment ago", "last week", "next week", "this morning", "last night", "last Friday", "next Tues",
    "this weekend", "next month", "last quarter", "last year", "3 days ago", "the week before last",
    "the end of the month", "the day before yesterday",
]  # fmt: skip
PLACES = "这里 那边 本地 当地 这儿 那儿 here there locally nearby".split()


@pytest.mark.parametrize("location", ["Berlin", None])
@pytest.mark.parametrize("term", [*PRONOUNS, *TIMES, *PLACES])
def test_every_term_of_the_gates_is_resolved_or_reported(term: str, location: str | None) -> None:
    text = f"{term} saw Bob" if term in PRONOUNS and term.isascii() else f"Bob left {term}"
    if not term.isascii():
        text = f"{term}喜欢茶" if term in PRONOUNS else f"小红在{term}买了茶"
    clock = EventClock(datetime.fromisoformat("2023-05-08T11:56:00Z"), "Europe/Berlin", location)
    found = rewrite_by_rules(Draft("", text, "Alice", "FinClaw"), clock)
    left = {violation.text.lower() for violation in violations(found.canonical_text)}
    assert left <= {word.lower() for word in found.unresolved}
    assert any(term.lower() in said.lower() for said, _ in found.resolved) or left or term.lower() in found.unresolved


@pytest.mark.parametrize("term", TIMES)
def test_every_expression_of_time_in_the_gates_can_be_resolved(term: str) -> None:
    clock = EventClock(datetime.fromisoformat("2023-05-08T11:56:00Z"), "Europe/Berlin")
    text = f"Bob left {term}." if term.isascii() else f"小红{term}买了茶。"
    assert "2023" in with_absolute_times(text, clock) or "2022" in with_absolute_times(text, clock)
