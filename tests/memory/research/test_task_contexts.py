"""What a task ran with is written down at its end, whatever the end was, and gone 24 hours later (M-1, C-14)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from consent import retention
from consent.permit import Permit
from consent.services import grant_consent, permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import RETENTION_DELETED
from memory.models import ResearchTask, TaskContext
from memory.research import task_lifecycle
from memory.research.contexts import add_thread_context, fields_of, note_of, stated_inputs
from memory.research.profile_context import save_profile_context
from memory.research.types import KeptNote, ResearchStatement, StatementSource, TaskInputs, TaskOutcome
from tests.support.cast import A_MONDAY, allow
from tests.support.research import MODEL, asked, begun, reread, thread_kept

A_DAY = timedelta(hours=24)
GIVEN = TaskInputs({"slices_loaded": ["S2"]}, ("risk",))
ENDS: dict[str, Callable[[Permit, ResearchTask], None]] = {
    "completed": lambda permit, task: task_lifecycle.complete_task(permit, task, TaskOutcome("report", MODEL)),
    "failed": lambda permit, task: task_lifecycle.fail_task(permit, task, "model_unavailable"),
    "cancelled": task_lifecycle.cancel_now,
}


def _ended(user: User, task: ResearchTask, end: str = "completed") -> TaskContext:
    job, running = begun(task)
    with job.completing():
        ENDS[end](permit_for(user), running)
    with acting_as(user.pk):
        return TaskContext.objects.get(task=task)


def _left(user: User) -> int:
    with acting_as(user.pk):
        return TaskContext.objects.count()


@pytest.mark.parametrize("end", ENDS)
def test_every_end_writes_it_and_24_hours_take_it(alice: User, end: str) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        task = asked(alice, overrides={"time_horizon": "One year"})
        clock.shift(timedelta(hours=30))  # it waited: its hours count from its end
        context = _ended(alice, task, end)
        assert context.expires_at == A_MONDAY + timedelta(hours=30) + A_DAY
        assert fields_of(context) == {"time_horizon": "One year"}

        clock.shift(A_DAY)
        assert retention.delete_outdated_rows() == 0
        before = RETENTION_DELETED.labels(model="memory.TaskContext")._value.get()
        clock.shift(timedelta(seconds=1))
        assert retention.delete_outdated_rows() == 1
        assert retention.delete_outdated_rows() == 0

    assert _left(alice) == 0
    assert RETENTION_DELETED.labels(model="memory.TaskContext")._value.get() == before + 1


@pytest.mark.parametrize("end", ENDS)
def test_what_was_stated_for_a_task_stands_nowhere_else_once_it_is_over(alice: User, end: str) -> None:
    """Else what somebody owns would outlast its 24 hours (C-8)."""
    allow(alice)
    task = asked(alice, overrides={"user_stated_position_context": "2 % in SOL"})

    assert fields_of(_ended(alice, task, end)) == {"user_stated_position_context": "2 % in SOL"}
    assert reread(alice, task).overrides == {}


def test_what_a_task_meant_for_its_person_goes_with_its_24_hours_swept_or_not(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        job, task = begun(asked(alice, route="pre_execution"))
        with job.completing():
            note = (ResearchStatement("You said: “No leverage”.", None, (StatementSource("prompt"),)),)
            task_lifecycle.complete_task(permit_for(alice), task, TaskOutcome("checkpoint", MODEL, note=note))
        assert _note(alice, task) == KeptNote(("You said: “No leverage”.",), A_MONDAY + A_DAY)
        assert _note(bob, task) is None

        clock.shift(A_DAY)
        assert (_note(alice, task), _left(alice)) == (None, 1)
        clock.shift(timedelta(seconds=1))
        retention.delete_outdated_rows()

    assert _left(alice) == 0


def _note(user: User, task: ResearchTask) -> KeptNote | None:
    with acting_as(user.pk):
        return note_of(permit_for(user), task)


def test_the_sweep_takes_each_in_its_own_time_whosever_it_is(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        _ended(alice, asked(alice))
        _ended(bob, asked(bob))
        clock.shift(timedelta(hours=2))
        _ended(bob, asked(bob))
        clock.move_to(A_MONDAY + A_DAY + timedelta(hours=1))
        assert retention.delete_outdated_rows() == 2

    assert (_left(alice), _left(bob)) == (0, 1)


def test_what_holds_for_the_task_comes_before_the_thread_and_that_before_the_profile(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        profile = {"research_depth": "quick", "language_preference": "zh", "user_focus_reason": "Yield"}
        save_profile_context(permit, profile)
        add_thread_context(permit, thread, {"user_focus_reason": "Fees", "research_style": "Numbers first"})
    task = asked(alice, thread_id=thread.pk, overrides={"research_depth": "deep", "user_focus_reason": ""})

    assert fields_of(_ended(alice, task)) == {
        "research_depth": "deep",
        "language_preference": "zh",
        "user_focus_reason": "Fees",
        "research_style": "Numbers first",
    }


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ({ConsentScope.SAVE_TO_THREAD}, {"user_focus_reason": "Fees", "constraints": "None"}),
        ({ConsentScope.SAVE_TO_PROFILE}, {"research_depth": "quick", "constraints": "None"}),
        (set(), {"constraints": "None"}),
    ],
)
def test_what_was_withdrawn_while_it_ran_is_not_written(
    alice: User, kept: set[ConsentScope], expected: dict[str, str]
) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "quick"})
        add_thread_context(permit, thread, {"user_focus_reason": "Fees"})
    job, task = begun(asked(alice, thread_id=thread.pk, overrides={"constraints": "None"}))
    with acting_as(alice.pk):
        task_lifecycle.record_inputs(permit, task, GIVEN)
        grant_consent(alice, kept, source="api")
    with job.completing():
        task_lifecycle.fail_task(permit_for(alice), task, "consent_outdated")

    with acting_as(alice.pk):
        assert fields_of(TaskContext.objects.get(task=task)) == expected


@pytest.mark.parametrize("end", ENDS)
def test_what_is_stated_while_it_runs_is_not_what_it_ran_with(alice: User, end: str) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
    job, task = begun(asked(alice))
    with acting_as(alice.pk):
        task_lifecycle.record_inputs(permit, task, GIVEN)
        save_profile_context(permit, {"research_depth": "quick", "user_focus_reason": "Yield"})
    with job.completing():
        ENDS[end](permit, task)

    with acting_as(alice.pk):
        assert fields_of(TaskContext.objects.get(task=task)) == {"research_depth": "deep"}
    ended = reread(alice, task)
    assert (ended.context, ended.advisors) == ({"slices_loaded": ["S2"]}, ["risk"])


def test_a_task_as_of_a_day_ran_with_nothing_that_was_stated_later(alice: User) -> None:
    permit = allow(alice)
    with time_machine.travel(A_MONDAY + A_DAY, tick=False), acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "quick", "user_focus_reason": "Yield"})

    assert fields_of(_ended(alice, asked(alice, as_of=A_MONDAY))) == {"research_depth": "quick"}


def test_a_revocation_leaves_them_to_their_24_hours_and_the_next_task_is_a_cold_start(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "quick"})
    _ended(alice, asked(alice))
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, source="api")

    assert _left(alice) == 1
    following = asked(alice)
    with acting_as(alice.pk):
        assert stated_inputs(permit_for(alice), following) == {}
