"""What an erasure takes from research: a thread with all that belongs to it, and the words that research objects took
from a memory, an event or a message that is forgotten (C-9).

Every statement names its sources, and goes with any of them. A thesis goes with what it was taken from, wherever it
was written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db.models import Model, Q

from consent.erasure.types import Targets
from consent.models import ErasureScope, Sources
from consent.permit import Permit
from foundation.database.acting import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.portraits import EVENT
from memory.erasure.targets import ITEM, TURN
from memory.models import (
    Checkpoint,
    Refresh,
    ResearchTask,
    Session,
    Snapshot,
    TaskContext,
    Thread,
    ThreadContext,
    TrainingAssetCandidate,
    WatchQuestion,
)
from memory.research.questions import as_asked
from memory.research.threads import thread_of

STATEMENTS: Final = "research statements"
THREAD, SNAPSHOT = Thread._meta.label, Snapshot._meta.label
_SOURCES: Final = (ITEM, EVENT, TURN, THREAD, SNAPSHOT)  # whose rows statements name
# The arrays and objects in which statements stand, by the table that holds them.
_HOLDING: Final[tuple[tuple[type[Snapshot | Checkpoint | ResearchTask], tuple[str, ...]], ...]] = (
    (Snapshot, ("evidence", "counter_thesis", "invalidators", "told")),
    (Checkpoint, ("conditions", "risks", "invalidators", "told")),
    (ResearchTask, ("report", "partial", "lookahead_warnings")),
)
Holding = Snapshot | Checkpoint | ResearchTask
IsGone = Callable[[Mapping[str, Any]], bool]  # of a source, as a row keeps it


def targets_of_thread(permit: Permit, thread_id: UUID) -> Targets:
    """A thread with its contexts, snapshots, refreshes, questions and checkpoints, the tasks that made them, and what
    was named of all this. Raises ``NotFound`` for one that is not the person's.
    """
    thread = thread_of(permit, thread_id)
    tasks = _keys(ResearchTask, Q(thread=thread) | Q(snapshots__thread=thread) | Q(checkpoints__thread=thread))
    made = Q(task__in=tasks) | Q(thread=thread)
    snapshots, refreshes, checkpoints = (_keys(model, made) for model in (Snapshot, Refresh, Checkpoint))
    named = {"snapshot": snapshots, "refresh": refreshes, "checkpoint": checkpoints}
    refs = [f"{kind}:{key}" for kind, keys in named.items() for key in keys]
    found = {
        Thread: (thread.pk,),
        ThreadContext: _keys(ThreadContext, Q(thread=thread)),
        WatchQuestion: _keys(WatchQuestion, Q(thread=thread)),
        ResearchTask: tasks,
        TaskContext: _keys(TaskContext, Q(task__in=tasks)),
        Snapshot: snapshots,
        Refresh: refreshes,
        Checkpoint: checkpoints,
        TrainingAssetCandidate: _keys(TrainingAssetCandidate, Q(object_ref__in=refs, user_id=permit.user_id)),
    }
    return Targets(delete={model._meta.label: keys for model, keys in found.items() if keys})


def _keys(model: type[Model], which: Q) -> tuple[UUID, ...]:
    return tuple(sorted(set(model._default_manager.filter(which).order_by().values_list("pk", flat=True))))


def gone_with(scope: str, sources: str, targets: Targets) -> IsGone:
    """Whether a source goes with an erasure: what is named, everything learned (with ``redact`` everything said too),
    or everything stated.
    """
    if scope == ErasureScope.MEMORIES:
        kinds = {"item", "event"} | ({"message"} if sources == Sources.REDACT else set())
        return lambda source: source["kind"] in kinds
    if scope == ErasureScope.PROFILE:
        return lambda source: source["kind"] == "context"
    deleted = (targets.delete.get(label, ()) for label in _SOURCES)
    ids = {str(key) for keys in (*deleted, targets.redact.get(TURN, ())) for key in keys}
    return lambda source: source["id"] in ids


def clean_research(user_id: UUID, is_gone: IsGone, before: datetime) -> None:
    """Take what is gone out of the person's research objects made up to ``before``, and out of what was written from
    those. Call acting for them; what was cleaned stays clean.
    """
    with in_role(ERASER_ROLE):  # some may be invisible already
        for row, fields in list(_naming(user_id, is_gone, before)):
            for name in fields:
                setattr(row, name, without(getattr(row, name), is_gone))
            if isinstance(row, Snapshot) and any(map(is_gone, row.thesis_sources)):
                fields = (*fields, *_forget_thesis(row))
            row.save(update_fields=fields)


def detach(user_id: UUID, targets: Targets) -> None:
    """Let conversations that were about a thread go on without it. Call acting for their person."""
    with in_role(ERASER_ROLE):
        Session.with_erased.filter(thread_id__in=targets.delete.get(THREAD, ()), user_id=user_id).update(thread=None)


def statements_left(user_id: UUID, is_gone: IsGone, before: datetime) -> int:
    """How many research objects still hold anything of what is gone. Call as the eraser."""
    return sum(1 for _ in _naming(user_id, is_gone, before))


def _naming(user_id: UUID, is_gone: IsGone, before: datetime) -> Iterator[tuple[Holding, tuple[str, ...]]]:
    """The objects that name a source that is gone, each with its fields of statements."""
    for model, fields in _HOLDING:
        for row in model.with_erased.filter(user_id=user_id, created_at__lte=before).iterator():
            held = [getattr(row, name) for name in fields] + [_thesis_of(row)]
            if any(map(is_gone, _sources_in(held))):
                yield row, fields


def _thesis_of(row: Holding) -> dict[str, Any]:
    return {"sources": row.thesis_sources} if isinstance(row, Snapshot) else {}


def _sources_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every source that any statement in this names, however deep it stands."""
    if isinstance(value, dict):
        yield from value.get("sources", ())
        yield from _sources_in(list(value.values()))
    elif isinstance(value, list):
        for one in value:
            yield from _sources_in(one)


def without(value: Any, is_gone: IsGone) -> Any:
    """The same arrays and objects without the statements that name a source that is gone."""
    if isinstance(value, dict):
        return {key: without(one, is_gone) for key, one in value.items()}
    if isinstance(value, list):
        return [without(one, is_gone) for one in value if not _names(one, is_gone)]
    return value


def _names(value: Any, is_gone: IsGone) -> bool:
    return isinstance(value, dict) and any(map(is_gone, value.get("sources", ())))


def _forget_thesis(snapshot: Snapshot) -> tuple[str, ...]:
    """Empty what was taken from the same sources as its thesis, here and where that was written again; answers the
    fields to be saved.
    """
    thesis, questions = snapshot.main_thesis, snapshot.watch_questions
    mine = partial(Q, user_id=snapshot.user_id)
    around = mine(snapshot=snapshot)
    if thesis:
        around |= mine(thesis_before=thesis)
        Thread.with_erased.filter(mine(current_thesis=thesis)).update(current_thesis="")
    Refresh.with_erased.filter(around).update(change_summary="", changed_inferences=[])
    Refresh.with_erased.filter(mine(thesis_before=thesis)).update(thesis_before="")
    asked = mine(thread=snapshot.thread_id, question__in=[as_asked(one) for one in questions])
    WatchQuestion.with_erased.filter(asked).delete()
    snapshot.main_thesis, snapshot.watch_questions, snapshot.thesis_sources = "", [], []
    return ("main_thesis", "watch_questions", "thesis_sources")
