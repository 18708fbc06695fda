"""Stores the results of tasks, and nominates them as training candidates where the user allows it.

``permit`` is the one under which the task's material was read, ``task`` the row that ``begin_run`` returned. Every
``store_…`` raises what ``require_unerased`` raises, because the draft may quote what was erased meanwhile or is no
longer allowed.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from consent.permit import Permit
from foundation.exceptions import NotFound, require_found
from memory.exceptions import ThreadMovedOn
from memory.models import Checkpoint, Refresh, ResearchTask, Snapshot, Thread
from memory.research.inferences import snapshots_of_thread, usable_thesis
from memory.research.training_candidates import nominate_object
from memory.research.types import CheckpointDraft, RefreshDraft, SnapshotDraft, as_json
from memory.research.watch_questions import DelayedLook, add_watch_questions
from memory.research.write_guards import require_open, require_unerased


def snapshots_of(permit: Permit) -> QuerySet[Snapshot]:
    """The user's snapshots, the latest first."""
    return Snapshot.objects.filter(user_id=permit.user_id).order_by("-created_at", "-id")


def snapshot_of(permit: Permit, snapshot_id: UUID) -> Snapshot:
    """One of the user's snapshots. Raises ``NotFound``."""
    return require_found(snapshots_of(permit).filter(pk=snapshot_id).first())


def refresh_of(permit: Permit, refresh_id: UUID) -> Refresh:
    """One of the user's refreshes with its snapshot. Raises ``NotFound``."""
    mine = Refresh.objects.filter(user_id=permit.user_id).select_related("snapshot", "thread")
    return require_found(mine.filter(pk=refresh_id).first())


def checkpoint_of(permit: Permit, checkpoint_id: UUID) -> Checkpoint:
    """One of the user's checkpoints. Raises ``NotFound``."""
    return require_found(Checkpoint.objects.filter(pk=checkpoint_id, user_id=permit.user_id).first())


def store_snapshot(permit: Permit, task: ResearchTask, draft: SnapshotDraft) -> Snapshot:
    """Store a snapshot outside any thread."""
    with transaction.atomic():
        return _insert_snapshot(require_unerased(permit, task), task, draft, None)


def store_refresh(
    permit: Permit, task: ResearchTask, draft: RefreshDraft, *, after: UUID | None, look: DelayedLook
) -> Refresh:
    """Store what a task found on its thread: a snapshot and a refresh, with the new thesis and questions.

    ``look`` says how questions are looked at later that the user had resolved and this reopens. ``after`` is the
    ``latest_snapshot`` when the task read the thread. Raises ``ThreadMovedOn`` if the thread has a newer one by now:
    the draft must be made again from that. Raises ``NotFound`` for a task without a thread, ``ThreadClosed``.
    """
    if task.thread is None:
        raise NotFound()
    with transaction.atomic():
        current = require_unerased(permit, task)
        thread = require_open(current, task.thread)
        before = snapshots_of_thread(current, thread).first()
        if (before.pk if before else None) != after:
            raise ThreadMovedOn()
        snapshot = _insert_snapshot(current, task, _with_former_sources(current, draft.snapshot, before), thread)
        add_watch_questions(current, thread, draft.snapshot.watch_questions, look)
        refresh = Refresh.objects.create(
            thread=thread,
            snapshot=snapshot,
            thesis_before=thread.current_thesis,
            change_summary=draft.change_summary,
            changed_inferences=[asdict(change) for change in draft.changed_inferences],
            **_common_fields(current, task, draft.snapshot.model_id),
        )
        thread.current_thesis = snapshot.main_thesis
        thread.save(update_fields=["current_thesis", "updated_at"])
        nominate_object(current, refresh)
    return refresh


def _with_former_sources(permit: Permit, draft: SnapshotDraft, before: Snapshot | None) -> SnapshotDraft:
    """The draft with the sources of the former thesis added, because the new one was written in view of it."""
    behind = usable_thesis(permit, before).sources if before else ()
    return replace(draft, thesis_sources=tuple(dict.fromkeys((*draft.thesis_sources, *behind))))


def store_checkpoint(permit: Permit, task: ResearchTask, draft: CheckpointDraft) -> Checkpoint:
    """Store a checkpoint. Raises ``ThreadClosed`` where its thread was closed meanwhile."""
    with transaction.atomic():
        current = require_unerased(permit, task)
        checkpoint = Checkpoint.objects.create(
            thread=require_open(current, task.thread) if task.thread else None,
            decision=draft.decision,
            conditions=as_json(draft.conditions),
            risks=as_json(draft.risks),
            invalidators=as_json(draft.invalidators),
            told=as_json(draft.told),
            data_quality_note=draft.data_quality_note,
            **_common_fields(current, task, draft.model_id),
        )
        nominate_object(current, checkpoint)
    return checkpoint


def _insert_snapshot(permit: Permit, task: ResearchTask, draft: SnapshotDraft, thread: Thread | None) -> Snapshot:
    snapshot = Snapshot.objects.create(
        thread=thread,
        object_kind=draft.object.kind,
        object_name=draft.object.name,
        object_alias=draft.object.alias,
        object_sources=[source.as_json() for source in draft.object.sources],
        main_thesis=draft.main_thesis,
        thesis_sources=[source.as_json() for source in draft.thesis_sources],
        evidence=as_json(draft.evidence),
        counter_thesis=as_json(draft.counter_thesis),
        invalidators=as_json(draft.invalidators),
        told=as_json(draft.told),
        watch_questions=list(draft.watch_questions),
        data_quality_note=draft.data_quality_note,
        **_common_fields(permit, task, draft.model_id),
    )
    nominate_object(permit, snapshot)
    return snapshot


def _common_fields(permit: Permit, task: ResearchTask, model_id: str) -> dict[str, Any]:
    return {
        "user_id": permit.user_id,
        "task": task,
        "model_id": model_id,
        "as_of": task.as_of,
        "consent_version": permit.version,
    }
