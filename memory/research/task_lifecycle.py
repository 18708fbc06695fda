"""Creates, runs and ends research tasks; a task ends as completed, failed or cancelled.

A task shares its id with its job. However it ends, the context that it ran with is stored for 24 hours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from consent.exceptions import ResearchStopped
from consent.models import Capability
from consent.permit import Permit
from consent.services import hold_permit, permit_for, renewed_permit
from foundation.accounts.models import User
from foundation.database.acting_user import commit_without_waiting
from foundation.exceptions import require_found
from foundation.ids import new_id
from foundation.long_tasks import announce_end
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_written
from memory.models import ResearchTask, Route, Thread
from memory.research.contexts import (
    add_thread_context,
    drop_thread_context,
    forget_context,
    inputs_of_run,
    keep_context,
    stated_inputs,
)
from memory.research.draft_validation import validate_draft
from memory.research.profile_context import slices_of
from memory.research.types import ResearchStatement, TaskDraft, TaskInputs, TaskOutcome
from memory.research.write_guards import require_unerased

RESEARCH_TOPIC = "research.run"
State = ResearchTask.State
UNFINISHED: Final = (State.PENDING, State.RUNNING)


def tasks_of(permit: Permit) -> QuerySet[ResearchTask]:
    """The user's tasks, the latest first."""
    mine = ResearchTask.objects.filter(user_id=permit.user_id).select_related("thread")
    return mine.order_by("-created_at", "-id")


def task_of(permit: Permit, task_id: UUID) -> ResearchTask:
    """One of the user's tasks. Raises ``NotFound``."""
    return require_found(tasks_of(permit).filter(pk=task_id).first())


def create_task(permit: Permit, user: User, draft: TaskDraft) -> ResearchTask:
    """Queue a run of a route. What is stated for this task alone needs no scope, financial fields included.

    Raises ``ProfileConsentRequired`` before any decision on consent, ``ResearchStopped``, ``ValidationFailed``,
    ``SensitiveInput``, ``NotFound`` for a foreign thread, ``ThreadClosed``, and ``ConsentOutdated`` under a permit that
    holds no longer.
    """
    permit.require_decision()
    permit.require_research()
    with transaction.atomic():
        hold_permit(permit)
        given = validate_draft(permit, user, draft)
        task = ResearchTask.objects.create(
            id=given.id or new_id(),
            user_id=permit.user_id,
            route=given.route,
            prompt=given.prompt,
            overrides={name: value for name, value in given.overrides.items() if value},
            thread_id=given.thread_id,
            as_of=given.as_of,
            consent_version=permit.version,
        )
        outbox.enqueue(RESEARCH_TOPIC, key=task.pk, user_id=permit.user_id, payload={"task": str(task.pk)})
    return task


def request_refresh(
    permit: Permit,
    user: User,
    thread: Thread,
    supplied: Mapping[str, str],
    *,
    said: str = "",
    confirm_financial: bool = False,
) -> ResearchTask:
    """Queue a refresh of a thread; ``said`` is what is new, if anything.

    With ``save_to_thread``, ``supplied`` is stored for the thread, and deleted again if the user cancels the task.
    Without it, ``supplied`` applies to this task alone. Raises what ``create_task`` and ``add_thread_context`` raise.
    """
    permit.require_decision()
    permit.require_research()
    task_id, keeps = new_id(), permit.allows(ConsentScope.SAVE_TO_THREAD)
    overrides = {} if keeps else supplied
    with transaction.atomic():
        if keeps:
            add_thread_context(permit, thread, supplied, confirm_financial=confirm_financial, task_id=task_id)
        return create_task(permit, user, TaskDraft(Route.THREAD_REFRESH, said, overrides, thread.pk, id=task_id))


def begin_run(job: Job) -> ResearchTask | None:
    """Start the job's task from its beginning; None for a task that needs no run.

    Whatever an earlier attempt left is discarded.
    """
    with job.acting():
        permit = _held_permit(job)
        task = _locked_task(UUID(job.payload["task"]))
        if task is None or task.is_over:
            return None
        if task.cancel_requested_at is not None:
            _write_end(permit, task, State.CANCELLED)
            return None
        if Capability.RESEARCH in permit.stopped:
            _write_end(permit, task, State.FAILED, ResearchStopped.code)
            return None
        task.state, task.started_at = State.RUNNING, timezone.now()
        task.erasures, task.consent_version = permit.erasures, permit.version
        task.progress, task.step, task.partial = 0, "", []
        task.context, task.advisors, task.lookahead_warnings = {}, [], []
        task.save()
        forget_context(task)
    return task


def record_inputs(permit: Permit, task: ResearchTask, given: TaskInputs) -> None:
    """Record what a task was given when it began, and the stated context that it runs with.

    Raises what ``require_unerased`` raises.
    """
    with transaction.atomic():
        current = require_unerased(permit, task)
        held = _locked_task(task.pk)
        if held is not None and not held.is_over:
            held.context, held.advisors = dict(given.context), list(given.advisors)
            held.lookahead_warnings = [dict(warning) for warning in given.lookahead_warnings]
            held.save(update_fields=["context", "advisors", "lookahead_warnings"])
            keep_context(current, held, stated_inputs(current, held), timezone.now())


def report_progress(job: Job, task_id: UUID, progress: int, step: str, partial: Sequence[Mapping[str, Any]]) -> None:
    """Report a task's progress in per cent and what it has found.

    Commits by itself: call it outside any transaction. Raises ``LostLease``, ``ResearchStopped``, and what
    ``require_unerased`` raises.
    """
    with job.acting():
        commit_without_waiting()
        outbox.require_lease(job.message)
        permit = _held_permit(job)
        permit.require_research()
        task = _locked_task(task_id)
        if task is not None and task.state == State.RUNNING:
            require_unerased(permit, task)
            task.progress, task.step, task.partial = progress, step, list(partial)
            task.save(update_fields=["progress", "step", "partial"])


def _held_permit(job: Job) -> Permit:
    """The permit, locked before the task's row: an erasure locks in this order, and another would deadlock with it."""
    return renewed_permit(permit_for(User.objects.get(pk=job.user_id)))


def is_cancelled(task_id: UUID) -> bool:
    """Whether the user cancelled the task or had it erased. Call while acting for them."""
    waited_for = ResearchTask.objects.filter(pk=task_id, cancel_requested_at=None, ended_at=None)
    return not waited_for.exists()


def request_cancel(permit: Permit, task_id: UUID) -> ResearchTask:
    """Cancel a task: at once if it is pending, before its next step if it is running.

    One that has ended stays as it is. Raises ``NotFound``.
    """
    with transaction.atomic():
        current = renewed_permit(permit)
        task = require_found(_locked_task(task_of(current, task_id).pk))
        if task.is_over:
            return task
        if task.cancel_requested_at is None:
            task.cancel_requested_at = timezone.now()
            task.save(update_fields=["cancel_requested_at"])
        if task.state == State.PENDING:
            _write_end(current, task, State.CANCELLED)
    return task


def complete_task(permit: Permit, task: ResearchTask, outcome: TaskOutcome) -> None:
    """Complete a task with its outcome. A task that has ended stays as it is.

    Raises what ``require_unerased`` raises.
    """
    with transaction.atomic():
        current = require_unerased(permit, task)
        held = _locked_task(task.pk)
        if held is not None and not held.is_over:
            for name, value in _result_fields(outcome).items():
                setattr(held, name, value)
            _write_end(current, held, State.COMPLETED, note=outcome.note)


def _result_fields(outcome: TaskOutcome) -> dict[str, Any]:
    return {
        "progress": 100,
        "partial": [],
        "lookahead_warnings": [dict(warning) for warning in outcome.lookahead_warnings],
        "degraded": list(outcome.degraded),
        "tip": outcome.tip,
        "result_kind": outcome.kind,
        "result_id": outcome.id,
        "report": outcome.report.as_json() if outcome.report else {},
        "model_id": outcome.model_id,
    }


def fail_task(permit: Permit, task: ResearchTask, error_code: str) -> None:
    """Fail a task; what it had found stays. A task that has ended, or is gone, stays as it is."""
    _end_locked_task(permit, task, State.FAILED, error_code[:40])


def cancel_now(permit: Permit, task: ResearchTask) -> None:
    """Cancel a running task whose user asked for it; what it had found stays.

    A task that has ended, or is gone, stays as it is.
    """
    _end_locked_task(permit, task, State.CANCELLED)


def _end_locked_task(permit: Permit, task: ResearchTask, state: str, error_code: str = "") -> None:
    with transaction.atomic():
        current = renewed_permit(permit)
        held = _locked_task(task.pk)
        if held is not None and not held.is_over:
            _write_end(current, held, state, error_code)


def _locked_task(task_id: UUID) -> ResearchTask | None:
    # Without joining its thread: PostgreSQL cannot lock the nullable side of an outer join.
    return ResearchTask.objects.select_for_update().filter(pk=task_id).first()


def _write_end(
    permit: Permit, task: ResearchTask, state: str, error_code: str = "", note: tuple[ResearchStatement, ...] = ()
) -> None:
    """Record a task's end and what it ran with, also for failed and cancelled tasks.

    From then on the fields stated for the task are stored only in its context, which is deleted after 24 hours.
    """
    now, stated = timezone.now(), inputs_of_run(permit, task)
    if state == State.CANCELLED:
        drop_thread_context(permit, task)
    task.state, task.error_code, task.ended_at, task.step, task.overrides = state, error_code, now, "", {}
    task.save()
    keep_context(permit, task, stated, now, note)
    announce_end(ResearchTask.objects.all(), task.user_id, task.pk, by_user=state == State.CANCELLED)
    report_written("task", permit.consent_id, slices=slices_of(stated))
