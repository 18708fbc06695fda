"""Research in tests, through the memory's own doors: tasks asked for, run by hand, and what they made kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox import job_run as worker
from foundation.outbox.jobs import Job
from foundation.outbox.leases import claim
from memory.models import Checkpoint, Refresh, ResearchTask, Snapshot, Thread
from memory.research import results, task_lifecycle, threads, watch_questions
from memory.research.inferences import latest_snapshot
from memory.research.types import (
    ChangedInference,
    CheckpointDraft,
    CognitionObject,
    RefreshDraft,
    ResearchStatement,
    SnapshotDraft,
    TaskDraft,
    TaskOutcome,
    ThreadDraft,
)

SOL = CognitionObject("asset", "SOL")
MODEL = "offline"
REOPENED = "tests.reopened"  # a topic that no worker takes
SOON = timedelta(hours=1)
LOOK = watch_questions.DelayedLook(REOPENED, SOON)


def snapshot_draft(thesis: str = "Demand for SOL grows.", **fields: Any) -> SnapshotDraft:
    """A snapshot of an asset; ``fields`` are the draft's."""
    drafted: dict[str, Any] = {
        "object": SOL,
        "main_thesis": thesis,
        "evidence": (ResearchStatement("Fees doubled in May."),),
        "counter_thesis": (ResearchStatement("Validators leave."),),
        "invalidators": (ResearchStatement("Fees fall for a quarter."),),
        "watch_questions": ("Do fees hold?",),
        "data_quality_note": "Made of the prompt alone.",
        "model_id": MODEL,
    }
    return SnapshotDraft(**(drafted | fields))


def checkpoint_draft(**fields: Any) -> CheckpointDraft:
    """A checkpoint before a purchase; ``fields`` are the draft's."""
    drafted: dict[str, Any] = {
        "decision": "Whether to buy more.",
        "conditions": (ResearchStatement("Fees hold."),),
        "risks": (ResearchStatement("A fork."),),
        "invalidators": (),
        "data_quality_note": "Made of the prompt alone.",
        "model_id": MODEL,
    }
    return CheckpointDraft(**(drafted | fields))


def asked(user: User, prompt: str = "What speaks for SOL?", route: str = "snapshot", **fields: Any) -> ResearchTask:
    """A task that waits; ``fields`` are the draft's."""
    with acting_as(user.pk):
        return task_lifecycle.create_task(permit_for(user), user, TaskDraft(route, prompt, **fields))


def taken(task: ResearchTask) -> Job:
    """The task's job as a worker holds it; what waited before it is done first."""
    while (message := claim()) is not None and message.pk != task.pk:
        worker.run(message)
    assert message is not None
    return Job(message)


def begun(task: ResearchTask) -> tuple[Job, ResearchTask]:
    """The task running, and its job."""
    job = taken(task)
    running = task_lifecycle.begin_run(job)
    assert running is not None
    return job, running


def snapshot_made(user: User, thesis: str = "Demand for SOL grows.", **fields: Any) -> Snapshot:
    """A snapshot as a finished task leaves it."""
    job, task = begun(asked(user))
    with job.completing():
        permit = permit_for(user)
        snapshot = results.store_snapshot(permit, task, snapshot_draft(thesis, **fields))
        task_lifecycle.complete_task(permit, task, TaskOutcome("snapshot", MODEL, snapshot.pk))
    return snapshot


def checkpoint_made(user: User, **fields: Any) -> Checkpoint:
    """A checkpoint as a finished task leaves it."""
    job, task = begun(asked(user, "Should I buy more?", "pre_execution"))
    with job.completing():
        permit = permit_for(user)
        checkpoint = results.store_checkpoint(permit, task, checkpoint_draft(**fields))
        task_lifecycle.complete_task(permit, task, TaskOutcome("checkpoint", MODEL, checkpoint.pk))
    return checkpoint


def thread_kept(user: User, snapshot: Snapshot | None = None, **fields: Any) -> Thread:
    """A thread saved from a snapshot; ``fields`` are the draft's."""
    kept = snapshot or snapshot_made(user)
    draft = ThreadDraft(**({"title": "Is SOL worth it?"} | fields))
    with acting_as(user.pk):
        permit = permit_for(user)
        assert permit.consent_id is not None
        return threads.save_as_thread(permit, user, kept, draft, permit.consent_id)


def refreshed(user: User, thread: Thread, thesis: str, *changes: ChangedInference, **fields: Any) -> Refresh:
    """The thread looked at again, with a new thesis; ``fields`` are the snapshot draft's."""
    with acting_as(user.pk):
        asked_for = task_lifecycle.request_refresh(permit_for(user), user, thread, {})
    job, task = begun(asked_for)
    with job.completing():
        permit = permit_for(user)
        draft = RefreshDraft(snapshot_draft(thesis, **fields), f"Now: {thesis}", changes)
        latest = latest_snapshot(permit, thread)
        refresh = results.store_refresh(permit, task, draft, after=latest, look=LOOK)
        task_lifecycle.complete_task(permit, task, TaskOutcome("refresh", MODEL, refresh.pk))
    return refresh


def reread(user: User, row: Any) -> Any:
    """The row as it stands."""
    with acting_as(user.pk):
        return type(row).objects.get(pk=row.pk)


def reopened(user: User, thread: Thread, number: int = 0) -> None:
    """One of the thread's questions resolved and opened again."""
    with acting_as(user.pk):
        permit = permit_for(user)
        question = watch_questions.questions_of(permit, thread)[number]
        watch_questions.resolve_question(permit, thread, question.pk)
        watch_questions.reopen_question(permit, thread, question.pk, LOOK)
