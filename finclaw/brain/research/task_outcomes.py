"""Stores what a research task made: its result, the note beside it, and what it ran without."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

from consent.permit import Permit
from drift import services as drift
from finclaw.brain.material.lookahead import lookahead_warnings
from finclaw.brain.research.comparison import merge_known_questions
from finclaw.brain.research.note import PersonalNote
from finclaw.brain.research.result_drafts import ResultDraft
from finclaw.brain.research.task_inputs import ResearchInputs
from finclaw.brain.research.tips import tip_is_due
from foundation.accounts.models import User
from memory.models import ResearchTask
from memory.research import results
from memory.research.types import CheckpointDraft, RefreshDraft, ResearchStatement, SnapshotDraft, TaskOutcome
from memory.research.watch_questions import questions_of


class FinishedResearch(NamedTuple):
    """What became of a task: its inputs, its result, the personal note, and the statements nobody could know then."""

    inputs: ResearchInputs
    draft: ResultDraft
    note: PersonalNote | None
    postdated: tuple[ResearchStatement, ...]


def _store_result(permit: Permit, given: ResearchInputs, draft: ResultDraft) -> UUID | None:
    """Store the result; a report stays on its task. A refresh may record that the thesis was reversed."""
    task = given.task
    if isinstance(draft, SnapshotDraft):
        return results.store_snapshot(permit, task, draft).pk
    if isinstance(draft, CheckpointDraft):
        return results.store_checkpoint(permit, task, draft).pk
    if isinstance(draft, RefreshDraft):
        look = drift.delayed_reopening_check(User.objects.select_related("tenant").get(pk=permit.user_id))
        worded = _merge_watched(permit, task, draft)
        refresh = results.store_refresh(permit, task, worded, after=given.latest, look=look)
        drift.record_thesis_reversal(permit, refresh.thread, refresh)
        return refresh.pk
    return None


def _merge_watched(permit: Permit, task: ResearchTask, draft: RefreshDraft) -> RefreshDraft:
    """Replace questions that the thread already watches by the watched ones, in whatever language they were asked."""
    known = [watched.question for watched in questions_of(permit, task.thread)] if task.thread else []
    questions = merge_known_questions(draft.snapshot.watch_questions, known)
    return replace(draft, snapshot=replace(draft.snapshot, watch_questions=questions))


def store_outcome(permit: Permit, finished: FinishedResearch, degraded: tuple[str, ...]) -> TaskOutcome:
    """Store what was made, and return what the task keeps of it. Call in the transaction that completes the task."""
    given, draft, note, postdated = finished
    made = _store_result(permit, given, draft)
    return TaskOutcome(
        kind=given.policy.result_kind,
        model_id=(draft.snapshot if isinstance(draft, RefreshDraft) else draft).model_id,
        id=made,
        report=draft if made is None else None,  # type: ignore[arg-type]
        lookahead_warnings=lookahead_warnings(postdated),
        degraded=degraded,
        tip=tip_is_due(permit, given.slices),
        note=note.statements if note else (),
    )
