"""What is told to others names nobody and says how much of nothing (M-17)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.evolution.deidentification import AMOUNT, NAME, deidentified

NAMES = {"alice", "Alice", "王小明", ""}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Alice prefers bullet points", f"{NAME} prefers bullet points"),
        ("王小明喜欢简短的回答", f"{NAME}喜欢简短的回答"),
        ("Malice is no name", "Malice is no name"),
        ("[preference/style/2026-01] Prefers tables", "Prefers tables"),
        ("Wants risks above $5,000 named", f"Wants risks above {AMOUNT} named"),
        ("Compare with my 200 shares of AAPL", f"Compare with my {AMOUNT} of AAPL"),
        ("持有500股贵州茅台", f"持有{AMOUNT}贵州茅台"),
        ("超过3万元的不要", f"超过{AMOUNT}的不要"),
        ("600519.SH reports in March 2026", "600519.SH reports in March 2026"),
        ("Give 3 bullet points", "Give 3 bullet points"),
        ("Send it to alice.w@example.com", "Send it to [redacted:email]"),
    ],
)
def test_names_contacts_and_amounts_are_taken_out(content: str, told: str) -> None:
    assert deidentified(content, NAMES) == told


@pytest.mark.parametrize("content", ["Alice", "[style] alice", "$5,000", "", "alice: 200 shares"])
def test_where_nothing_else_is_left_nothing_is_told(content: str) -> None:
    assert deidentified(content, NAMES) is None


@given(st.text(max_size=40), st.sampled_from(["Alice", "王小明"]), st.text(max_size=40))
def test_no_name_survives_as_a_word_of_its_own(before: str, name: str, after: str) -> None:
    told = deidentified(f"{before} {name} {after}", {name}) or ""
    assert f" {name} " not in f" {told} "


@given(st.text(max_size=80))
def test_telling_what_was_told_changes_nothing(content: str) -> None:
    once = deidentified(content, NAMES)
    if once is not None and not once.startswith("["):
        assert deidentified(once, NAMES) == once
