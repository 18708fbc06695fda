"""The tip that preferences could be set: only where none was, and at most once in 24 hours (seed A §8.3, O-6)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import override_settings

from consent.services import permit_for
from finclaw.brain.research.slices import load_slices
from finclaw.brain.research.tips import tip_is_due, tip_of
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from memory.models import ResearchTask
from memory.research import tasks
from memory.research.types import Outcome
from tests.brain.research.told import PREFERENCES, state
from tests.support.cast import A_MONDAY, allow
from tests.support.research import MODEL, asked, begun


def told(user: User) -> bool:
    """Whether a task of the user's that ends now closes with the tip."""
    job, task = begun(asked(user))
    with job.completing():
        permit = permit_for(user)
        tip = tip_is_due(permit, load_slices(permit, user, task))
        tasks.complete(permit, task, Outcome("report", MODEL, tip=tip))
    return tip


def test_who_stated_nothing_is_told(alice: User) -> None:
    allow(alice)

    assert told(alice)
    with acting_as(alice.pk):
        assert ResearchTask.objects.get().tip


@pytest.mark.parametrize("name", ["language_preference", "research_depth", "risk_prompt_preference"])
def test_who_stated_any_preference_is_not(alice: User, name: str) -> None:
    allow(alice)
    state(alice, {name: PREFERENCES[name]})

    assert not told(alice)


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


def test_it_is_told_in_both_languages(alice: User) -> None:
    permit = allow(alice)

    assert tip_of(permit, "zh") == "设置偏好可让结果更贴合你。"
    assert "preferences" in tip_of(permit, "en")
