"""Advisors change places, and never who they are (P-8, seed A §7.3)."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import UserContext
from personas.advisor_order import Advisor, ordered_advisors

PREFERENCES = [*UserContext.RiskPrompt.values, "", "no such preference"]
ROUTE: tuple[Advisor, ...] = ("asset_research", "market_macro", "risk", "counter_thesis")


@pytest.mark.parametrize(
    ("preference", "order"),
    [
        ("balanced", ("asset_research", "market_macro", "risk", "counter_thesis")),
        ("counter_first", ("counter_thesis", "asset_research", "market_macro", "risk")),
        ("risk_first", ("risk", "asset_research", "counter_thesis", "market_macro")),
        ("", ("asset_research", "market_macro", "risk", "counter_thesis")),
    ],
)
def test_the_order_is_the_seeds(preference: str, order: tuple[Advisor, ...]) -> None:
    assert ordered_advisors(ROUTE, preference) == order


@given(st.sets(st.sampled_from(get_args(Advisor))), st.sampled_from(PREFERENCES), st.booleans())
def test_whatever_is_preferred_the_same_advisors_speak(advisors: set[Advisor], preference: str, at_stake: bool) -> None:
    ordered = ordered_advisors(advisors, preference, at_stake=at_stake)

    assert sorted(ordered) == sorted(advisors)


@given(st.sets(st.sampled_from(get_args(Advisor))), st.sampled_from(PREFERENCES))
def test_where_permissions_are_at_stake_the_pre_execution_advisor_is_first(
    advisors: set[Advisor], preference: str
) -> None:
    assert ordered_advisors(advisors | {"pre_execution"}, preference, at_stake=True)[0] == "pre_execution"
