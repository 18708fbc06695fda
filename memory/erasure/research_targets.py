"""Finds what is erased with a research thread or task: everything made by it, but what its user kept in a thread."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

from django.db.models import Model, Q

from consent.erasure.types import Targets
from consent.permit import Permit
from foundation.outbox.models import OutboxMessage
from memory.exceptions import KeptInThread
from memory.models import (
    Checkpoint,
    Refresh,
    ResearchTask,
    Snapshot,
    TaskContext,
    Thread,
    ThreadContext,
    TrainingAssetCandidate,
    WatchQuestion,
)
from memory.research.results import snapshots_of
from memory.research.task_lifecycle import task_of
from memory.research.threads import thread_of

_NOTHING: Final = Q(pk__in=())


def targets_of_thread(permit: Permit, thread_id: UUID) -> Targets:
    """The rows of a thread: contexts, snapshots, refreshes, questions, checkpoints, the tasks behind them, their jobs,
    and training candidates made of any of these. Raises ``NotFound`` for a thread that is not the user's.
    """
    thread = thread_of(permit, thread_id)
    tasks = _keys_of(ResearchTask, Q(thread=thread) | Q(snapshots__thread=thread) | Q(checkpoints__thread=thread))
    hanging = {model: _keys_of(model, Q(thread=thread)) for model in (ThreadContext, WatchQuestion)}
    return _targets_naming(_made_by(permit, tasks, Q(thread=thread)) | hanging | {Thread: (thread.pk,)})


def targets_of_task(permit: Permit, task_id: UUID) -> Targets:
    """The rows of one task: the task, its results, its context and its job. A thread it was about stays.

    Raises ``NotFound`` for one that is not the user's, ``KeptInThread`` for one that is part of a thread's history.
    """
    task = task_of(permit, task_id)
    thread_id = thread_grown_from(permit, task)
    if thread_id is not None:
        raise KeptInThread(thread_id)
    return _targets_naming(_made_by(permit, (task.pk,)))


def targets_of_tasks(permit: Permit, tasks: Collection[UUID]) -> Targets:
    """The rows of several tasks, none of which is in ``kept_in_threads``, in as many queries as one task takes."""
    return _targets_naming(_made_by(permit, tasks)) if tasks else Targets()


def kept_in_threads(permit: Permit, tasks: Collection[UUID]) -> set[UUID]:
    """The tasks that are part of a thread's history."""
    kept = snapshots_of(permit).filter(task__in=tasks).exclude(thread=None)
    return set(kept.order_by().values_list("task_id", flat=True))


def thread_grown_from(permit: Permit, task: ResearchTask) -> UUID | None:
    """The thread whose history holds a task's result: a snapshot kept as a thread, or a refresh of one."""
    kept = snapshots_of(permit).filter(task=task).exclude(thread=None)
    return kept.values_list("thread_id", flat=True).first()


def _made_by(permit: Permit, tasks: Collection[UUID], more: Q = _NOTHING) -> dict[type[Model], Collection[UUID]]:
    """The rows that tasks made and ran with, their jobs, training candidates made of these, and ``more`` objects."""
    made = Q(task__in=tasks) | more
    snapshots, refreshes, checkpoints = (_keys_of(model, made) for model in (Snapshot, Refresh, Checkpoint))
    named = {"snapshot": snapshots, "refresh": refreshes, "checkpoint": checkpoints}
    refs = [f"{kind}:{key}" for kind, keys in named.items() for key in keys]
    return {
        ResearchTask: tasks,
        TaskContext: _keys_of(TaskContext, Q(task__in=tasks)),
        Snapshot: snapshots,
        Refresh: refreshes,
        Checkpoint: checkpoints,
        TrainingAssetCandidate: _keys_of(TrainingAssetCandidate, Q(object_ref__in=refs, user_id=permit.user_id)),
        OutboxMessage: _keys_of(OutboxMessage, Q(pk__in=tasks, user_id=permit.user_id)),  # each shares its task's id
    }


def _targets_naming(found: Mapping[type[Model], Collection[UUID]]) -> Targets:
    return Targets(delete={model._meta.label: keys for model, keys in found.items()})


def _keys_of(model: type[Model], which: Q) -> set[UUID]:
    return set(model._default_manager.filter(which).order_by().values_list("pk", flat=True))
