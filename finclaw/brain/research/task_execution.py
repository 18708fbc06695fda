"""Runs one research task; read it top to bottom.

Begin → inputs, read in one transaction → parts, advisor by advisor, with no transaction held → thesis or note →
boundary guard → one transaction with the result, the task's end and the job's. A worker killed midway leaves a job that
is claimed again and starts over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from consent.exceptions import ConsentOutdated, ErasureInProgress
from consent.permit import Permit
from consent.services import permit_for, renewed_permit
from finclaw.brain.boundary.second_look import run_second_look
from finclaw.brain.boundary.statements import refuse_statements
from finclaw.brain.material.lookahead import find_postdated, lookahead_warnings
from finclaw.brain.material.reading import MaterialReading, read_material
from finclaw.brain.research.boundary_guard import permitted_note, permitted_statements, refuse_acting_result
from finclaw.brain.research.note import BESIDE_A_THESIS, PersonalNote, compose_note
from finclaw.brain.research.part_answers import PartAnswer, answer_part
from finclaw.brain.research.parts import PARTS, PartName
from finclaw.brain.research.personal_view import PersonalView
from finclaw.brain.research.result_drafts import ResearchFindings, make_result
from finclaw.brain.research.step_runs import StepRuns, end_part, end_personal
from finclaw.brain.research.task_inputs import ResearchInputs, best_statements, gather_inputs
from finclaw.brain.research.task_outcomes import FinishedResearch, store_outcome
from finclaw.brain.research.thesis import ComposedThesis, compose_thesis
from finclaw.brain.research.tips import task_context
from finclaw.brain.research.wording import EvidenceQuality, quality_note
from foundation.accounts.models import User
from foundation.accounts.services import tenant_id_of
from foundation.exceptions import FinClawError
from foundation.llm import LanguageModel, configured_model
from foundation.llm.offline_model import OFFLINE_MODEL_ID
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.telemetry.degradations import collect_degradations
from memory.exceptions import ThreadMovedOn
from memory.models import ResearchTask
from memory.research import task_lifecycle
from memory.research.types import (
    ResearchStatement,
    TaskInputs,
)
from memory.retrieval.services import embed_query


class TaskCancelled(Exception):
    """The user cancelled the task."""


def run_research(job: Job) -> None:
    """Execute one task.

    An error of FinClaw's own, which has a code, fails the task at once, but for those that a retry may cure. These, and
    any other error, are retried like any job's, and fail the task on the last attempt.
    """
    task = task_lifecycle.begin_run(job)
    if task is None:
        with job.completing():
            return
    steps = StepRuns(task)
    try:
        _run_task(job, task, steps)
    except TaskCancelled:
        with job.completing():
            permit = _load_permit(job)
            task_lifecycle.cancel_now(permit, task)
            steps.write_receipts(permit)
    except LostLease:
        raise  # another worker has it
    except (ErasureInProgress, ConsentOutdated, ThreadMovedOn) as error:
        _end_with_last_attempt(job, task, error.code)
        raise  # the retry reads the new state
    except FinClawError as error:
        with job.completing():
            permit = _load_permit(job)
            task_lifecycle.fail_task(permit, task, error.code)
            steps.write_receipts(permit)
    except Exception as error:
        _end_with_last_attempt(job, task, type(error).__name__, steps)
        raise


def _end_with_last_attempt(job: Job, task: ResearchTask, reason: str, steps: StepRuns | None = None) -> None:
    """Fail the task with ``reason`` if this was its job's last attempt.

    ``steps`` are given where an unexpected error ended the attempt: their receipts are written on every attempt.
    """
    if not (steps or job.message.is_last_attempt):
        return
    with job.acting():
        permit = _load_permit(job)
        if job.message.is_last_attempt:
            task_lifecycle.fail_task(permit, task, reason)
        if steps:
            steps.write_receipts(permit)


def _run_task(job: Job, task: ResearchTask, steps: StepRuns) -> None:
    degraded: dict[str, None] = {}
    with collect_degradations(degraded):
        finished = _do_research(job, task, configured_model(tenant_id_of(job.user_id)), steps)
    with job.completing():
        permit = renewed_permit(_load_permit(job))
        if task_lifecycle.is_cancelled(task.pk):
            raise TaskCancelled
        with steps.measure("result"):
            outcome = store_outcome(permit, finished, tuple(degraded))
        task_lifecycle.complete_task(permit, task, outcome)
        steps.write_receipts(permit)


def _do_research(job: Job, task: ResearchTask, model: LanguageModel, steps: StepRuns) -> FinishedResearch:
    with steps.measure("request"):
        # Overrides state things about the user. Only rules judge them: a model takes a stated position for an order.
        refuse_statements(task.overrides.values())
        # The prompt is judged by the rules and by a small model: does it ask to trade?
        run_second_look((task.prompt,), model)
    with steps.measure("inputs") as run:
        inputs = _begin_task(job, task)
        run.counts = {"slices": len(inputs.slices.loaded_names), "statements": len(inputs.candidates)}
    parts = _answer_parts(job, inputs, model, steps)
    with steps.measure("parts_check"):
        # A model judges the impersonal parts alone. Thesis and note are judged below, by rule: nothing personal may
        # enter the prompt of this check.
        run_second_look((statement.text for answer in parts.values() for statement in answer.statements), model)
    with steps.measure("memories") as run:
        user_statements = _user_statements(inputs, model)
        run.counts = {"statements": len(user_statements)}
    asker = PersonalView(inputs.slices, inputs.threads, user_statements, inputs.names)
    thesis, note = _compose_personal(job, inputs, parts, asker, model, steps)
    with steps.measure("result_check"):
        draft = make_result(_collect_findings(inputs, parts, thesis, user_statements), inputs.policy.route)
        refuse_acting_result(draft, note)
    return FinishedResearch(inputs, draft, note, _postdated_statements(inputs, *parts.values(), thesis, note))


def _begin_task(job: Job, task: ResearchTask) -> ResearchInputs:
    """Read the task's inputs, and store at once what its page shows of them, so that a failed task shows it, too."""
    with job.acting():
        question = task.question
    embedded = embed_query(question)
    with job.acting():
        permit = _load_permit(job)
        inputs = gather_inputs(permit, User.objects.get(pk=job.user_id), task, embedded)
        task_lifecycle.record_inputs(
            permit,
            task,
            TaskInputs(task_context(permit, inputs.slices), inputs.advisors, lookahead_warnings(inputs.postdated)),
        )
    return inputs


def _user_statements(inputs: ResearchInputs, model: LanguageModel) -> tuple[ResearchStatement, ...]:
    """What the user told before this task, from memory; nothing on a route that may not include it."""
    if not inputs.policy.uses_user_statements:
        return ()
    return permitted_statements(inputs.task.route, best_statements(inputs.candidates, inputs.slices.depth, model))


def _answer_parts(
    job: Job, inputs: ResearchInputs, model: LanguageModel, steps: StepRuns
) -> dict[PartName, PartAnswer]:
    """Every part of the skill, advisor by advisor."""
    reading = read_material(inputs.brief)
    ordered = [name for advisor in inputs.advisors for name in inputs.policy.parts if PARTS[name].advisor == advisor]
    answers: dict[PartName, PartAnswer] = {}
    for number, name in enumerate(ordered):
        _report_progress(job, inputs.task, number, len(ordered), name, answers)
        with steps.measure(name) as run:
            answers[name] = answer_part(PARTS[name], inputs.brief, reading, model)
            end_part(run, answers[name], model)
    return answers


def _report_progress(
    job: Job, task: ResearchTask, number: int, count: int, step: str, answers: Mapping[PartName, PartAnswer]
) -> None:
    """Store the progress, and stop if the user cancelled. The last tenth is left for the result."""
    with job.acting():
        if task_lifecycle.is_cancelled(task.pk):
            raise TaskCancelled
    partial = [
        {"part": name, "statements": [statement.text for statement in answer.statements]}
        for name, answer in answers.items()
    ]
    task_lifecycle.report_progress(job, task.pk, 5 + 85 * number // count, step, partial)


def _compose_personal(
    job: Job,
    inputs: ResearchInputs,
    parts: Mapping[PartName, PartAnswer],
    asker: PersonalView,
    model: LanguageModel,
    steps: StepRuns,
) -> tuple[ComposedThesis | None, PersonalNote | None]:
    """The route's personal part, if any: a thesis, with a note on what it may not hold, or a note alone."""
    _report_progress(job, inputs.task, 1, 1, "thesis", parts)
    policy = inputs.policy
    if policy.personal_part == "note":
        with steps.measure("note") as run:
            note = compose_note(inputs.brief, parts, asker, model)
            end_personal(run, note, model)
        return None, permitted_note(inputs.task.route, note)
    if policy.personal_part is None:
        return None, None
    # A thread's thesis comes first; it is empty where something that it was written with was withdrawn.
    former = next((statement for statement in inputs.inferred[:1] if statement.text), None)
    view = asker.without_slices(policy.note_slices)
    with steps.measure("thesis") as run:
        thesis = compose_thesis(inputs.brief, read_material(inputs.brief), parts, view, former, model)
        end_personal(run, thesis, model)
    with steps.measure("note") as run:
        note = _note_beside(thesis, inputs, parts, model)
        end_personal(run, note, model)
    return thesis, note


def _note_beside(
    thesis: ComposedThesis, inputs: ResearchInputs, parts: Mapping[PartName, PartAnswer], model: LanguageModel
) -> PersonalNote | None:
    """The note beside a thesis, on what the thesis may not hold: the slices in ``note_slices`` (positions and limits).

    None where a model wrote the thesis and no such slice was loaded. A thesis made by rule takes no slice into account,
    so a note is composed beside it without such slices, too. The note may use every slice.
    """
    note_slices = inputs.policy.note_slices
    if not note_slices or (
        thesis.model_id != OFFLINE_MODEL_ID and set(note_slices).isdisjoint(inputs.slices.loaded_names)
    ):
        return None
    return compose_note(inputs.brief, parts, PersonalView(inputs.slices), model, BESIDE_A_THESIS)


def _collect_findings(
    inputs: ResearchInputs,
    parts: Mapping[PartName, PartAnswer],
    thesis: ComposedThesis | None,
    user_statements: tuple[ResearchStatement, ...],
) -> ResearchFindings:
    reading = read_material(inputs.brief)
    return ResearchFindings(
        brief=inputs.brief,
        reading=reading,
        cognition_object=inputs.cognition_object,
        parts=parts,
        note=quality_note(inputs.brief.language, _evidence_quality(inputs, parts, reading)),
        model_id=_model_id(parts.values()),
        thesis=thesis,
        told=user_statements,
        inferred=inputs.inferred,
    )


def _evidence_quality(
    inputs: ResearchInputs, parts: Mapping[PartName, PartAnswer], reading: MaterialReading
) -> EvidenceQuality:
    """The evidence's quality, the same for everybody: neither thesis nor note enters it."""
    by_rule = [answer.model_id == OFFLINE_MODEL_ID for answer in parts.values()]
    shown = {statement for answer in parts.values() for statement in answer.statements}
    as_of = inputs.brief.as_of
    return EvidenceQuality(
        evidence=parts["evidence"].statements if "evidence" in parts else reading.evidence,
        shows="evidence" in parts and inputs.policy.result_kind != ResearchTask.ResultKind.CHECKPOINT,
        by_rule=all(by_rule),
        partly_by_rule=any(by_rule),
        unfounded=sum(answer.unfounded for answer in parts.values()),
        postdated=len(_postdated_statements(inputs, *parts.values())),
        too_long=len({statement for answer in parts.values() for statement in answer.too_long} - shown),
        ungrouped=len(reading.ungrouped),
        as_of=as_of.date().isoformat() if as_of else "",
    )


def _postdated_statements(
    inputs: ResearchInputs, *made: PartAnswer | ComposedThesis | PersonalNote | None
) -> tuple[ResearchStatement, ...]:
    """Statements of the material and of the results dated after the task's ``as_of``: nobody could know them then."""
    written = (statement for answer in made if answer for statement in answer.postdated)
    return find_postdated([*inputs.postdated, *written], inputs.task.as_of)


def _model_id(answers: Iterable[PartAnswer]) -> str:
    return next((answer.model_id for answer in answers if answer.model_id != OFFLINE_MODEL_ID), OFFLINE_MODEL_ID)


def _load_permit(job: Job) -> Permit:
    return permit_for(User.objects.get(pk=job.user_id))
