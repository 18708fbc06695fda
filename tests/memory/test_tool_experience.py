"""What an organisation's assistant finds out about its tools and the steps of its research: counts, of nobody."""

from __future__ import annotations

from typing import Any

import pytest

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import AgentExperience
from memory.services import agent_experience
from memory.services.tool_receipts import write_tool_receipts
from memory.types import ToolRun
from tests.support.cast import allow, make_person
from tests.support.organisation import employ
from tests.support.talk import permit_of

SEARCH = "cognitive_search_events"
FOUND, NOTHING = {"found": 3, "taken": 2}, {"found": 0, "taken": 0}


@pytest.fixture
def staff(db: None) -> list[User]:
    """As many people of one organisation as something must be counted of."""
    people = [make_person(f"employee{number}") for number in range(agent_experience.FEWEST_PEOPLE)]
    employ(Tenant.objects.create(name="Krugerrand Ltd"), *people)
    for person in people:
        allow(person)
    return people


def _ran(user: User, times: int, *, intent: str = "chat", **fields: Any) -> None:
    values: dict[str, Any] = {"kind": "tool", "tool": SEARCH, "outcome": "done", "duration_ms": 1.5} | fields
    with acting_as(user.pk):
        write_tool_receipts(permit_of(user), [ToolRun(**values)] * times, run_id=new_id(), intent_type=intent)


def _learned() -> dict[str, AgentExperience]:
    with in_role(OPERATOR_ROLE):
        return {row.subject: row for row in AgentExperience.objects.all()}


def _hints(user: User, intent: str) -> tuple[str, ...]:
    with acting_as(user.pk):
        return agent_experience.experience_hints(permit_of(user), user, intent)


def test_a_tool_that_finds_something_is_recommended_and_one_that_does_not_is_not(staff: list[User]) -> None:
    for person in staff:
        _ran(person, 18, counts=FOUND)
        _ran(person, 2, counts=NOTHING)
        _ran(person, 20, tool="cognitive_search_profiles", counts=NOTHING)
        _ran(person, 20, tool="cognitive_get_profile", outcome="refused", error_code="invalid_arguments")
    assert agent_experience.count_usage() == 3

    assert _learned()[SEARCH].statistics == {"uses": 60, "utilized": 54, "people": 3, "kind": "tool", "obstacle": ""}
    told = "\n".join(_hints(staff[0], "chat"))
    assert f"The tool {SEARCH} found something to read in 90% of its calls. Call it" in told
    assert "The tool cognitive_search_profiles found something to read in 0% of its calls. Do not count on it." in told
    assert _hints(staff[0], "research") == ()
    with acting_as(staff[0].pk):  # where no tool is offered, none is spoken of
        assert agent_experience.experience_hints(permit_of(staff[0]), staff[0], "chat", may_look_up=False) == ()


def test_a_step_of_research_that_mostly_fails_is_told_with_what_stands_in_its_way(staff: list[User]) -> None:
    for person in staff:
        for skill, failures in (("snapshot", 12), ("risk_challenge", 1)):
            step = {"kind": "step", "tool": "thesis", "skill": skill, "intent": "research"}
            _ran(person, 20 - failures, **step)
            _ran(person, failures, outcome="by_rule", error_code="analysis_fallback", **step)
    agent_experience.count_usage()

    told = _hints(staff[0], "research")
    assert [hint for hint in told if "risk_challenge" in hint] == []
    [hint] = told
    assert hint == (
        "The step snapshot.thesis came out as it should 40% of the time. What mostly stood in the way:"
        " analysis_fallback. Do not promise it."
    )


def test_too_few_runs_or_people_tell_nothing_nor_do_those_without_consent(staff: list[User]) -> None:
    for person in staff:
        _ran(person, agent_experience.FEWEST_USES // len(staff) - 1, counts=FOUND)
    for person in staff[:-1]:
        _ran(person, agent_experience.FEWEST_USES, tool="cognitive_get_profile", counts=FOUND)
    for person in staff:
        _ran(person, 40, tool="cognitive_search_profiles", counts=FOUND)
    allow(staff[0], ConsentScope.SAVE_TO_THREAD)
    assert agent_experience.count_usage() == 0
    assert _learned() == {}


def test_what_is_no_tool_of_ours_and_what_only_ends_a_turn_is_not_counted(staff: list[User]) -> None:
    for person in staff:
        _ran(person, 20, tool="unknown_tool", outcome="refused", error_code="unknown_tool")
        _ran(person, 20, tool="end")
    assert agent_experience.count_usage() == 0


def test_another_organisation_is_told_nothing(staff: list[User], charlie: User) -> None:
    employ(Tenant.objects.create(name="Tanganyika Ltd"), charlie)
    allow(charlie)
    for person in staff:
        _ran(person, 20, counts=FOUND)
    agent_experience.count_usage()
    assert _hints(charlie, "chat") == ()
    assert len(_hints(staff[0], "chat")) == 1
