"""The tip that preferences could be set: only where none was, and at most once in 24 hours, whatever shows it."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import override_settings

from consent.services import permit_for
from finclaw.brain.research.slices import load_slices
from finclaw.brain.research.tips import hint_of, hint_text, task_context, tip_is_due
from foundation.accounts.models import User
from foundation.accounts.services import claim_tip
from foundation.database.acting_user import acting_as
from memory.models import ResearchTask, Route
from memory.research import task_lifecycle
from memory.research.types import TaskInputs, TaskOutcome
from tests.brain.research.told import PREFERENCES, revoke, state
from tests.support.cast import A_MONDAY, allow
from tests.support.research import MODEL, asked, begun, thread_kept


def hinted(user: User, route: str = Route.SNAPSHOT, **stated: str) -> str | None:
    """The hint that a task of the user's closes with that ends now."""
    thread = thread_kept(user) if route == Route.THREAD_REFRESH else None
    job, task = begun(asked(user, route=route, thread_id=thread and thread.pk, overrides=stated))
    with job.completing():
        permit = permit_for(user)
        slices = load_slices(permit, user, task)
        task_lifecycle.record_inputs(permit, task, TaskInputs(task_context(permit, slices)))
        task_lifecycle.complete_task(permit, task, TaskOutcome("report", MODEL, tip=tip_is_due(permit, slices)))
    with acting_as(user.pk):
        return hint_of(task_lifecycle.task_of(permit, task.pk))


def told(user: User, route: str = Route.SNAPSHOT, **stated: str) -> bool:
    """Whether that is the tip."""
    return hinted(user, route, **stated) == "set_preferences"


def test_who_stated_nothing_is_told(alice: User) -> None:
    allow(alice)

    assert told(alice)
    with acting_as(alice.pk):
        assert ResearchTask.objects.get().tip


@pytest.mark.parametrize("name", ["language_preference", "research_depth", "risk_prompt_preference"])
def test_who_stated_any_preference_is_not_whatever_the_route_is_given(alice: User, bob: User, name: str) -> None:
    allow(alice)
    allow(bob)
    state(alice, {name: PREFERENCES[name]})

    assert [route for route in Route if told(alice, route)] == []
    assert [route for route in Route if told(bob, route, **{name: PREFERENCES[name]})] == []


@pytest.mark.parametrize("route", Route)
def test_who_stated_none_is_told_by_every_route(alice: User, route: str) -> None:
    allow(alice)

    assert told(alice, route)


def test_at_most_once_in_24_hours(alice: User) -> None:
    allow(alice)
    for hours, expected in ((0, True), (1, False), (23.99, False), (24.01, True), (30, False), (48.1, True)):
        with time_machine.travel(A_MONDAY + timedelta(hours=hours), tick=False):
            assert told(alice) == expected, hours


@override_settings(COLD_START_TIP_HOURS=2)
def test_how_often_is_a_setting(alice: User) -> None:
    allow(alice)
    for hours, expected in ((0, True), (1.9, False), (2.1, True)):
        with time_machine.travel(A_MONDAY + timedelta(hours=hours), tick=False):
            assert told(alice) == expected, hours


def test_what_one_person_was_told_does_not_silence_another(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)

    assert told(alice)
    assert told(bob)


def test_8_5_who_withdrew_everything_hears_every_time_that_nothing_was_personal(alice: User) -> None:
    allow(alice)
    assert told(alice)
    revoke(alice)

    assert [hinted(alice) for _ in range(2)] == ["personalization_off"] * 2


def test_8_5_that_hint_does_not_use_up_the_tip(alice: User) -> None:
    allow(alice)
    revoke(alice)
    assert hinted(alice) == "personalization_off"

    allow(alice)

    assert [hinted(alice) for _ in range(2)] == ["set_preferences", None]


def test_they_are_told_in_both_languages() -> None:
    assert hint_text("set_preferences", "zh") == "设置偏好可让结果更贴合你。"
    assert "preferences" in hint_text("set_preferences", "en")
    assert "撤回" in hint_text("personalization_off", "zh")
    assert "withdrawn" in hint_text("personalization_off", "en")


def test_a_page_and_a_task_share_one_tip(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        assert told(alice)
        assert not claim_tip(alice.pk)
        assert claim_tip(bob.pk)
        assert not told(bob)
        clock.shift(timedelta(hours=24))
        assert claim_tip(alice.pk)
        assert told(bob)
