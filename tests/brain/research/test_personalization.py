"""Seed A §7.1 and §7.2, row by row: what may be personal, and what is handed nothing of the person.

That equal questions give equal prompts, whoever asks, is shown with the prompts themselves; here is what each part can
see at all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields

import pytest
from django.conf import settings

from consent.sensitive.services import screen_text
from finclaw.brain.boundary import asks_to_execute, refuse_execution, refuse_fields
from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.research import wording
from finclaw.brain.research.part_answers import answer_part
from finclaw.brain.research.parts import PARTS, part_prompt
from finclaw.brain.research.personal_view import SENTENCES
from finclaw.brain.research.routes import ROUTES
from finclaw.schedules import SCHEDULES
from foundation.accounts.models import User
from memory.models import UserContext
from memory.research import task_lifecycle
from tests.brain.research.told import PREFERENCES, follow, loaded, state, state_for, task
from tests.support.cast import allow

IMPERSONAL = {"evidence": "evidence", "counter_thesis": "counter-thesis", "invalidators": "invalidators list"}


def _sees(function: Callable[..., object]) -> set[str]:
    return set(inspect.signature(function).parameters)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_7_1_output_language_follows_s1(alice: User, language: str) -> None:
    allow(alice)
    state(alice, {"language_preference": language})

    assert {loaded(alice, task(route)).language for route in ROUTES if route != "thread_refresh"} == {language}


@pytest.mark.parametrize("depth", UserContext.ResearchDepth.values)
def test_7_1_output_depth_follows_s2(alice: User, depth: str) -> None:
    allow(alice)
    state(alice, {"research_depth": depth})

    assert loaded(alice, task("snapshot")).depth == depth
    assert loaded(alice, task("risk_challenge")).depth == "standard"
    assert SENTENCES["quick"] < SENTENCES["standard"] < SENTENCES["deep"]


def test_7_1_refreshes_are_nobodys_habit() -> None:
    """None runs by itself: no schedule asks for research, and no setting says how often."""
    assert not [
        every for every in SCHEDULES if task_lifecycle.RESEARCH_TOPIC in str(every) or "refresh" in str(every).lower()
    ]
    assert not [name for name in dir(settings) if "REFRESH" in name and "RESEARCH" in name]


@pytest.mark.parametrize("part", IMPERSONAL, ids=[f"7.2 {row}" for row in IMPERSONAL.values()])
def test_7_2_a_part_is_handed_an_objective_and_nothing_personal(part: str) -> None:
    assert {one.name for one in fields(ResearchBrief)} == {"prompt", "language", "earlier_statements", "as_of"}
    assert _sees(part_prompt) == {"part", "brief"}
    assert _sees(answer_part) == {"part", "brief", "reading", "model"}
    assert _sees(PARTS[part].offline) == {"reading"}  # type: ignore[index]


def test_7_2_data_quality_note_is_made_of_the_evidence_alone() -> None:
    assert not _sees(wording.quality_note) & {"user", "permit", "slices", "told", "preferences", "persona"}


def test_7_2_boundary_guard_is_told_a_text_alone() -> None:
    assert _sees(refuse_execution) == _sees(asks_to_execute) == {"text"}


def test_7_2_sensitive_classifier_knows_no_trusted_person() -> None:
    assert not _sees(screen_text) & {"user", "permit", "preferences"}


def test_7_2_forbidden_execution_fields_are_one_list_for_all() -> None:
    assert _sees(refuse_fields) == {"payload"}
    assert settings.FORBIDDEN_EXECUTION_FIELDS


def test_7_2_an_audit_of_evidence_has_no_personal_part_and_every_other_route_has_one() -> None:
    assert [route for route, policy in ROUTES.items() if policy.personal_part is None] == ["evidence_audit"]


def test_7_2_an_audit_of_evidence_is_given_the_language_alone(alice: User) -> None:
    allow(alice)
    state(alice)
    thread = follow(alice)
    state_for(alice, thread, research_style="Bottom up", user_focus_reason="The moat")

    given = loaded(alice, task("evidence_audit", "Audit my threads", thread=thread, constraints="none"))

    assert given.values == {"language_preference": PREFERENCES["language_preference"]}
