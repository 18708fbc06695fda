"""Seed A §7.3, row by row: preferences change the order in which advisors speak, and never who is asked (P-8)."""

from __future__ import annotations

import pytest

from finclaw.brain.research.routes import ROUTES
from foundation.accounts.models import User
from memory.models import Route, UserContext
from personas.advisor_order import Advisor, ordered_advisors
from tests.brain.research.told import loaded, state, task
from tests.support.cast import allow

NAMES = {
    "asset_research": "Asset Research", "market_macro": "Market/Macro", "risk": "Risk",
    "counter_thesis": "Counter-Thesis", "pre_execution": "Pre-Execution",
}  # fmt: skip
ROWS = {
    "balanced": "Asset Research → Market/Macro → Risk → Counter-Thesis",
    "counter_first": "Counter-Thesis → Asset Research → Market/Macro → Risk",
    "risk_first": "Risk → Asset Research → Counter-Thesis → Market/Macro",
}


def order(user: User, route: str) -> tuple[Advisor, ...]:
    """In which order the advisors of a route speak to the user."""
    policy, preference = ROUTES[route], loaded(user, task(route)).risk_prompt_preference
    return ordered_advisors(policy.advisors, preference, at_stake=policy.at_stake)


@pytest.mark.parametrize("preference", ROWS)
def test_7_3_row(alice: User, preference: str) -> None:
    allow(alice)
    state(alice, {"risk_prompt_preference": preference})

    assert " → ".join(NAMES[one] for one in order(alice, "snapshot")) == ROWS[preference]


def test_7_3_balanced_where_nothing_is_preferred(alice: User) -> None:
    allow(alice)

    assert " → ".join(NAMES[one] for one in order(alice, "thread_refresh")) == ROWS["balanced"]


@pytest.mark.parametrize("preference", ROWS)
def test_7_3_row_permission_or_credential(alice: User, preference: str) -> None:
    allow(alice)
    state(alice, {"risk_prompt_preference": preference})

    first, *others = order(alice, "pre_execution")

    assert first == "pre_execution"
    assert " → ".join(NAMES[one] for one in others) == ROWS[preference]


@pytest.mark.parametrize("route", Route.values)
def test_7_3_the_set_of_advisors_never_changes(route: str) -> None:
    policy = ROUTES[route]

    for preference in (*UserContext.RiskPrompt.values, "", "unheard of"):
        assert set(ordered_advisors(policy.advisors, preference, at_stake=policy.at_stake)) == set(policy.advisors)
    assert ("pre_execution" in policy.advisors) == (route == Route.PRE_EXECUTION) == policy.at_stake


@pytest.mark.parametrize("route", ["evidence_audit", "narrative_mapper", "event_impact_reader"])
def test_7_3_a_route_that_is_not_given_the_preference_keeps_its_order(alice: User, route: str) -> None:
    allow(alice)
    cold = order(alice, route)
    state(alice, {"risk_prompt_preference": "risk_first"})

    assert order(alice, route) == cold
