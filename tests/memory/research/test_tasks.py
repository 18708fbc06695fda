"""The life of a task: asked for, run, cancelled, failed, never lost (B-9)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import override_settings

from consent.exceptions import ConsentOutdated, ErasureInProgress, ProfileConsentRequired
from consent.models import ErasureScope, Sources
from consent.sensitive.exceptions import SensitiveInput
from consent.services import permit_for, withdraw_consent
from finclaw.brain.long_tasks.services import TASK_LOST, fail_abandoned
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError, NotFound, ValidationFailed
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.models import ResearchTask, TaskContext
from memory.research import results, task_lifecycle
from memory.research.types import ReportDraft, ReportSection, ResearchStatement, TaskDraft, TaskOutcome
from tests.support.cast import A_MONDAY, allow, allow_nothing
from tests.support.research import MODEL, asked, begun, reread, snapshot_draft, snapshot_made, taken, thread_kept

State = ResearchTask.State


def _context_of(user: User, task: ResearchTask) -> TaskContext:
    with acting_as(user.pk):
        return TaskContext.objects.get(task=task)


def test_a_task_waits_for_a_worker_under_its_own_id(alice: User) -> None:
    allow_nothing(alice)
    task = asked(alice)

    assert (task.state, task.progress, task.is_over) == (State.PENDING, 0, False)
    with acting_as(alice.pk):
        job = OutboxMessage.objects.get(pk=task.pk)
    assert (job.topic, job.payload) == (task_lifecycle.RESEARCH_TOPIC, {"task": str(task.pk)})


def test_before_any_decision_nothing_is_asked_for(alice: User) -> None:
    with pytest.raises(ProfileConsentRequired):
        asked(alice)
    with acting_as(alice.pk):
        assert not ResearchTask.objects.exists()


def test_after_a_revocation_tasks_go_on(alice: User) -> None:
    permit = allow(alice)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, source="api")

    assert asked(alice).consent_version == 2


def test_a_permit_from_before_a_change_asks_for_nothing(alice: User) -> None:
    old = allow(alice)
    allow_nothing(alice)

    with pytest.raises(ConsentOutdated), acting_as(alice.pk):
        task_lifecycle.create_task(old, alice, TaskDraft("snapshot", "What speaks for SOL?"))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"prompt": "  "}, "prompt"),
        ({"prompt": "\u200b\u2060 \u3164"}, "prompt"),
        ({"as_of": datetime(2199, 1, 1, tzinfo=UTC)}, "as_of"),
        ({"prompt": "x" * (settings.MAX_MESSAGE_CHARS + 1)}, "prompt"),
        ({"route": "trade"}, "route"),
        ({"route": "thread_refresh"}, "thread_id"),
        ({"overrides": {"shoe_size": "43"}}, "shoe_size"),
        ({"overrides": {"research_depth": "bottomless"}}, "research_depth"),
        ({"overrides": {"time_horizon": "x" * 201}}, "time_horizon"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(alice: User, fields: dict[str, Any], field: str) -> None:
    allow(alice)
    with pytest.raises(ValidationFailed) as refused:
        asked(alice, **fields)
    assert set(refused.value.details) == {field}


@pytest.mark.parametrize("fields", [{"prompt": "My card is 4111 1111 1111 1111"},
                                    {"overrides": {"constraints": "Pay from 4111 1111 1111 1111"}}])  # fmt: skip
def test_secrets_are_refused_before_anything_is_stored(alice: User, fields: dict[str, Any]) -> None:
    allow(alice)
    with pytest.raises(SensitiveInput):
        asked(alice, **fields)
    with acting_as(alice.pk):
        assert not ResearchTask.objects.exists()
        assert not OutboxMessage.objects.exists()


def test_a_refresh_is_of_now(alice: User) -> None:
    """As of an earlier day it would make what was held then the thread's thesis now."""
    allow(alice)
    thread = thread_kept(alice)
    with pytest.raises(ValidationFailed) as refused:
        asked(alice, route="thread_refresh", thread_id=thread.pk, as_of=thread.created_at)
    assert set(refused.value.details) == {"as_of"}


def test_an_address_in_a_prompt_is_masked(alice: User) -> None:
    allow(alice)
    assert asked(alice, "Compare SOL, and write to eve@example.org").prompt.endswith("[redacted:email]")


def test_financial_overrides_need_no_scope(alice: User) -> None:
    allow_nothing(alice)
    task = asked(alice, overrides={"user_stated_position_context": "2 % in SOL", "constraints": ""})
    assert task.overrides == {"user_stated_position_context": "2 % in SOL"}


def test_anothers_thread_and_task_are_not_found(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    thread = thread_kept(bob)
    task = asked(bob)

    with pytest.raises(NotFound):
        asked(alice, thread_id=thread.pk)
    for attempt in (task_lifecycle.task_of, task_lifecycle.request_cancel):
        with pytest.raises(NotFound), acting_as(alice.pk):
            attempt(permit_for(alice), task.pk)


def test_a_run_tells_how_far_it_is(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        job, task = begun(asked(alice))
        clock.shift(timedelta(minutes=1))
        task_lifecycle.report_progress(job, task.pk, 40, "counter_thesis", [{"part": "evidence"}])

    told = reread(alice, task)
    assert (told.state, told.progress, told.step) == (State.RUNNING, 40, "counter_thesis")
    assert (told.partial, told.started_at) == ([{"part": "evidence"}], A_MONDAY)


def test_a_completed_task_names_what_it_made(alice: User) -> None:
    allow(alice)
    snapshot = snapshot_made(alice)

    task = reread(alice, snapshot.task)
    assert (task.state, task.progress, task.result_kind, task.result_id) == ("completed", 100, "snapshot", snapshot.pk)
    assert task.ended_at is not None
    with acting_as(alice.pk):
        assert OutboxMessage.objects.get(pk=task.pk).state == OutboxMessage.State.DONE


def test_a_report_stays_on_its_task(alice: User) -> None:
    allow(alice)
    job, task = begun(asked(alice, route="evidence_audit"))
    report = ReportDraft(
        "Audit", (ReportSection("Dated", (ResearchStatement("Fees doubled."),)),), "Made of the prompt.", MODEL
    )
    with job.completing():
        task_lifecycle.complete_task(
            permit_for(alice), task, TaskOutcome("report", MODEL, report=report, degraded=("model_offline",))
        )

    done = reread(alice, task)
    assert done.report == {
        "title": "Audit",
        "sections": [{"heading": "Dated", "statements": [ResearchStatement("Fees doubled.").as_json()]}],
        "data_quality_note": "Made of the prompt.",
    }
    assert (done.result_kind, done.result_id, done.degraded) == ("report", None, ["model_offline"])


def test_what_waits_is_cancelled_at_once_and_never_run(alice: User) -> None:
    allow(alice)
    task = asked(alice)
    with acting_as(alice.pk):
        cancelled = task_lifecycle.request_cancel(permit_for(alice), task.pk)

    assert cancelled.state == State.CANCELLED
    assert cancelled.ended_at is not None
    assert _context_of(alice, task).expires_at > cancelled.ended_at
    assert task_lifecycle.begin_run(taken(task)) is None


def test_what_runs_is_cancelled_at_its_next_step(alice: User) -> None:
    allow(alice)
    job, task = begun(asked(alice))
    with acting_as(alice.pk):
        assert not task_lifecycle.is_cancelled(task.pk)
        assert task_lifecycle.request_cancel(permit_for(alice), task.pk).state == State.RUNNING
        assert task_lifecycle.is_cancelled(task.pk)
    with job.completing():
        task_lifecycle.cancel_now(permit_for(alice), task)

    assert reread(alice, task).state == State.CANCELLED
    assert _context_of(alice, task)


def test_a_cancelled_run_whose_worker_died_is_not_begun_again(alice: User) -> None:
    allow(alice)
    job, task = begun(asked(alice))
    with acting_as(alice.pk):
        task_lifecycle.request_cancel(permit_for(alice), task.pk)

    assert task_lifecycle.begin_run(job) is None
    assert reread(alice, task).state == State.CANCELLED


def test_an_end_is_the_end(alice: User) -> None:
    allow(alice)
    job, task = begun(asked(alice))
    with job.completing():
        permit = permit_for(alice)
        task_lifecycle.fail_task(permit, task, "model_unavailable")
        task_lifecycle.cancel_now(permit, task)
        task_lifecycle.complete_task(permit, task, TaskOutcome("report", MODEL))
    with acting_as(alice.pk):
        task_lifecycle.request_cancel(permit_for(alice), task.pk)
        assert task_lifecycle.is_cancelled(task.pk)

    assert (reread(alice, task).state, reread(alice, task).error_code) == (State.FAILED, "model_unavailable")


def test_a_run_whose_worker_died_starts_over(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False):
        task = asked(alice)
        with override_settings(OUTBOX_LEASE_SECONDS=-1):
            job, running = begun(task)
        task_lifecycle.report_progress(job, running.pk, 60, "thesis", [{"part": "evidence"}])
        outbox.reclaim()
        _, again = begun(task)

    assert (again.state, again.progress, again.step, again.partial) == (State.RUNNING, 0, "", [])


def test_a_task_whose_job_gave_up_fails_with_its_reason(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock, override_settings(OUTBOX_LEASE_SECONDS=-1):
        task = asked(alice)
        for _ in range(settings.OUTBOX_MOST_CLAIMS):
            begun(task)
            assert fail_abandoned() == 0
            clock.shift(timedelta(hours=1))
            outbox.reclaim()
        assert fail_abandoned() == 1
        assert fail_abandoned() == 0

    failed = reread(alice, task)
    assert (failed.state, failed.error_code) == (State.FAILED, TASK_LOST)
    assert _context_of(alice, task)


def _forget_something(user: User) -> None:
    forget(user, ErasureScope.PROFILE, "", Sources.REDACT, source="api")


def _withdraw_learning(user: User) -> None:
    consent_id = permit_for(user).consent_id
    assert consent_id is not None
    withdraw_consent(user, consent_id, [ConsentScope.MEMORY_LEARNING], source="web")


@pytest.mark.parametrize(
    ("taking_back", "refused"), [(_forget_something, ErasureInProgress), (_withdraw_learning, ConsentOutdated)]
)
def test_nothing_that_may_quote_what_is_taken_back_is_stored(
    taking_back: Callable[[User], None], refused: type[FinClawError], alice: User
) -> None:
    allow(alice)
    job, task = begun(asked(alice))
    with acting_as(alice.pk):
        taking_back(alice)

    with pytest.raises(refused):
        task_lifecycle.report_progress(job, task.pk, 40, "thesis", [{"part": "told"}])
    for write in (
        lambda permit: results.store_snapshot(permit, task, snapshot_draft()),
        lambda permit: task_lifecycle.complete_task(permit, task, TaskOutcome("report", MODEL)),
    ):
        with pytest.raises(refused), acting_as(alice.pk):
            write(permit_for(alice))
    assert reread(alice, task).partial == []
    again = task_lifecycle.begin_run(job)
    assert again is not None
    with acting_as(alice.pk):
        assert results.store_snapshot(permit_for(alice), again, snapshot_draft())
