"""What somebody might look into next: an order and sentences, never fewer routes (M-7; seed A §7.4, row by row)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from consent.services import permit_for, withdraw_consent
from finclaw.brain.boundary import BoundaryRefused, asks_to_execute
from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.reading import asking_sentence, read_material
from finclaw.brain.research.recommendations import (
    USUAL,
    first_prompt,
    first_question,
    recommend_routes,
    refresh_conditions_for,
)
from finclaw.brain.research.types import RecommendedRoute
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.language import Language, cjk_share
from foundation.personal_data import ConsentScope
from memory.models import ObjectKind, Route
from memory.research.types import CognitionObject
from tests.brain.research.told import follow, state
from tests.support.cast import A_MONDAY, allow
from tests.support.research import asked


def for_(user: User) -> tuple[RecommendedRoute, ...]:
    with acting_as(user.pk):
        return recommend_routes(permit_for(user), user)


def lately(user: User) -> tuple[Route, ...]:
    return tuple(recommended.skill for recommended in for_(user)[:3])


def used(user: User, *routes: str) -> None:
    """Tasks asked for, one a minute."""
    for number, route in enumerate(routes):
        with time_machine.travel(A_MONDAY + timedelta(minutes=number), tick=False):
            asked(user, route=route)


# --- §7.4, the home page ---------------------------------------------------------------------------------------------


def test_7_4_home_shows_the_usual_three_to_somebody_new(alice: User) -> None:
    allow(alice)

    assert lately(alice) == USUAL == ("snapshot", "thread_refresh", "risk_challenge")


def test_7_4_home_shows_the_last_three_task_types(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    used(bob, "pre_execution")
    used(alice, "snapshot", "evidence_audit", "narrative_mapper", "evidence_audit", "event_impact_reader")

    assert lately(alice) == ("event_impact_reader", "evidence_audit", "narrative_mapper")


def test_7_4_home_fills_up_with_the_usual(alice: User) -> None:
    allow(alice)
    used(alice, "evidence_audit", "snapshot")

    assert lately(alice) == ("snapshot", "evidence_audit", "thread_refresh")


def test_7_4_home_is_the_usual_after_a_revocation(alice: User) -> None:
    permit = allow(alice)
    used(alice, "evidence_audit")
    with acting_as(alice.pk):
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, source="api")

    assert lately(alice) == USUAL


# --- §7.4, the sheet for saving a thread -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ObjectKind.values)
@pytest.mark.parametrize(("language", "name"), [("en", "NVDA"), ("zh", "贵州茅台")])
def test_7_4_refresh_conditions_follow_what_the_thread_is_about(kind: str, language: str, name: str) -> None:
    conditions = refresh_conditions_for(CognitionObject(kind, name), language)  # type: ignore[arg-type]

    assert len(set(conditions)) == 3
    assert name in " ".join(conditions)
    assert all((cjk_share(one) > 0.5) == (language == "zh") for one in conditions)


def test_7_4_refresh_conditions_differ_by_kind_and_not_by_person() -> None:
    by_kind = {refresh_conditions_for(CognitionObject(kind, "rates")) for kind in ObjectKind.values}

    assert len(by_kind) == len(ObjectKind.values)


# --- §7.4, the first task --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_7_4_the_first_question_fits_the_preferences(language: str) -> None:
    questions = {first_question(language, one) for one in ("balanced", "counter_first", "risk_first")}  # type: ignore[arg-type]

    assert len(questions) == 3
    assert all((cjk_share(one) > 0.5) == (language == "zh") for one in questions)
    assert first_question(language) == first_question(language, "balanced")  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("preference", ["balanced", "counter_first", "risk_first"])
def test_7_4_the_first_prompt_has_something_in_every_part(language: Language, preference: str) -> None:
    prompt = first_prompt(language, preference)
    reading = read_material(ResearchBrief(prompt, language))

    assert prompt.startswith(first_question(language, preference))
    assert all((reading.evidence, reading.counter_stance, reading.conditions, reading.stance))
    assert asking_sentence(prompt) == first_question(language, preference)
    assert not asks_to_execute(prompt)


# --- §7.4, what is never personal ------------------------------------------------------------------------------------


def test_7_4_a_refusal_is_the_same_for_everyone() -> None:
    assert BoundaryRefused().message == BoundaryRefused.default_message
    assert BoundaryRefused().details == {}


# --- §7.1: skills by S6 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "close"),
    [
        (ObjectKind.ASSET, "risk_challenge"),
        (ObjectKind.THEME, "narrative_mapper"),
        (ObjectKind.EVENT, "event_impact_reader"),
    ],
)
def test_7_1_skills_close_to_recent_threads_come_first(alice: User, kind: str, close: str) -> None:
    allow(alice)
    follow(alice, "A question", kind, "rates")

    first, *others = for_(alice)

    assert (first.skill, first.reason) == ("thread_refresh", "close to a thread")
    assert "rates" in first.example
    assert close in {one.skill for one in others[:3] if one.reason == "close to a thread"}


def test_7_1_what_a_threads_title_asks_for_is_close_to_it(alice: User) -> None:
    allow(alice)
    follow(alice, "核实英伟达的数据中心收入", ObjectKind.ASSET, "NVDA")

    assert for_(alice)[1].skill == Route.EVIDENCE_AUDIT


def test_7_1_without_threads_what_was_used_lately_comes_first(alice: User) -> None:
    allow(alice)
    used(alice, "evidence_audit")

    first, second, *_ = for_(alice)

    assert (first.skill, first.reason) == ("evidence_audit", "used lately")
    assert (second.skill, second.reason) == ("snapshot", "usual")


def test_7_1_without_save_to_thread_threads_say_nothing(alice: User) -> None:
    allow(alice)
    follow(alice, "A question", ObjectKind.EVENT, "the merger")
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    assert [one.skill for one in for_(alice)][:3] == list(USUAL)
    assert "merger" not in str(for_(alice))


def test_7_1_every_route_is_recommended_once_to_everyone(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    follow(alice)
    used(alice, "evidence_audit")

    for user in (alice, bob):
        skills = [one.skill for one in for_(user)]
        assert sorted(skills) == sorted(Route.values)


def test_another_look_has_an_example_only_where_there_is_a_thread(alice: User) -> None:
    allow(alice)
    assert [one.skill for one in for_(alice) if not one.example] == ["thread_refresh"]

    follow(alice)

    assert all(one.example for one in for_(alice))


def _examples(user: User) -> dict[str, str]:
    return {recommended.skill: recommended.example for recommended in for_(user)}


def test_an_example_is_about_what_was_asked_and_not_about_a_stock_nobody_named(alice: User) -> None:
    allow(alice)
    asked(alice, "What should I check on Palantir?", "evidence_audit")

    named = [example for example in _examples(alice).values() if example]

    assert all("Palantir" in example for example in named)


def test_an_example_of_what_was_used_lately_is_about_what_it_was_used_on(alice: User) -> None:
    allow(alice)
    follow(alice, "Will it hold?", ObjectKind.ASSET, "SOL")
    asked(alice, "Which stories compete about Palantir?", "narrative_mapper")
    asked(alice, "How good are the figures of AMD?", "evidence_audit")

    examples = _examples(alice)

    assert "Palantir" in examples["narrative_mapper"]
    assert "AMD" in examples["evidence_audit"]
    assert "SOL" in examples["thread_refresh"]


def test_without_save_to_thread_an_example_names_no_threads_object(alice: User) -> None:
    allow(alice)
    thread = follow(alice, "A question", ObjectKind.EVENT, "the merger")
    asked(alice, "What could go wrong?", "risk_challenge", thread_id=thread.pk)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    assert "merger" not in str(for_(alice))


def test_examples_are_in_the_persons_language(alice: User) -> None:
    allow(alice)
    follow(alice)
    assert all(cjk_share(one.example) == 0 for one in for_(alice))

    state(alice, {"language_preference": "zh"})

    assert all(cjk_share(one.example) > 0.5 for one in for_(alice))
