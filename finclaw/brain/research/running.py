"""Running one research task, to be read like a recipe (B-9).

begin → what the task may use, read in one transaction → its parts, each advisor in their order, with no transaction
held → the thesis → the guard on what came out → one transaction with the object made, the task's end and the job's.
A worker killed in the middle leaves a job that is claimed again and starts over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from consent.exceptions import ErasureInProgress
from consent.permit import Permit
from consent.services import permit_for
from drift import services as drift
from finclaw.brain.knowledge import names_known_to
from finclaw.brain.names import Group
from finclaw.brain.prompt import context_element
from finclaw.brain.research.asking import Answer, ask
from finclaw.brain.research.background import remembered, told
from finclaw.brain.research.boundary import refuse_execution, refuse_fields
from finclaw.brain.research.lookahead import known_then, warnings
from finclaw.brain.research.objective import Objective
from finclaw.brain.research.parts import PARTS, PartName
from finclaw.brain.research.reading import known_of, read, said
from finclaw.brain.research.routes import ROUTES
from finclaw.brain.research.skills import SKILLS, Draft, Findings, Skill
from finclaw.brain.research.slices import load_slices, sources_of
from finclaw.brain.research.subject import object_of
from finclaw.brain.research.thesis import Asker, Thesis, compose_thesis
from finclaw.brain.research.tips import tip_is_due
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.research.wording import quality_note
from finclaw.brain.types import Candidate
from foundation.accounts.models import User
from foundation.exceptions import FinClawError
from foundation.llm import LanguageModel, configured_model
from foundation.llm.offline import OFFLINE_MODEL_ID
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from memory.models import ResearchTask, Route
from memory.research import results, tasks
from memory.research.held import inferences_of
from memory.research.types import (
    CheckpointDraft,
    CognitionObject,
    Outcome,
    RefreshDraft,
    SnapshotDraft,
    Source,
    Statement,
)
from memory.retrieval.services import EmbeddedQuery, embed_query
from personas.advisors import Advisor, in_order


class Cancelled(Exception):
    """The person asked for no more."""


@dataclass(frozen=True)
class Ingredients:
    """What one task has to go on, read when it began."""

    task: ResearchTask
    skill: Skill
    objective: Objective
    about: CognitionObject
    slices: LoadedSlices
    slice_sources: tuple[Source, ...]
    advisors: tuple[Advisor, ...]
    candidates: list[Candidate]
    held: tuple[Statement, ...]
    later: tuple[Mapping[str, object], ...]  # what the look-ahead check reports
    degraded: list[str] = field(default_factory=list)


def run_research(job: Job) -> None:
    """Carry one task out. Whatever cannot be done ends the task with its reason; whatever fails is tried again as any
    job is, and ends the task with the last try.
    """
    task = tasks.begin(job)
    if task is None:
        with job.completing():
            return
    try:
        _run(job, task)
    except Cancelled:
        with job.completing():
            tasks.cancel_now(_permit(job), task)
    except (LostLease, ErasureInProgress):
        raise  # another worker has it, or it begins anew without what is forgotten
    except FinClawError as error:
        with job.completing():
            tasks.fail(_permit(job), task, error.code)
    except Exception as error:
        if job.message.is_last_attempt:
            with job.acting():
                tasks.fail(_permit(job), task, type(error).__name__)
        raise


def _run(job: Job, task: ResearchTask) -> None:
    model = configured_model()
    question = embed_query(task.prompt)
    with job.acting():
        given = _ingredients(job, task, question)
    parts = _parts(job, given, model)
    told_before = told(given.candidates, given.slices.depth, model) if given.skill.remembers else ()
    thesis = _thesis(job, given, parts, told_before, model)
    found = _findings(given, parts, thesis, told_before)
    draft = given.skill.make(found)
    _refuse_to_act(draft)
    degraded = tuple(dict.fromkeys([*given.degraded, *_degraded(parts.values(), thesis)]))
    with job.completing():
        permit = _permit(job)
        made = _stored(permit, given.task, draft)
        tasks.complete(permit, given.task, _outcome(permit, given, draft, made, degraded))


def _ingredients(job: Job, task: ResearchTask, question: EmbeddedQuery) -> Ingredients:
    user, permit = User.objects.get(pk=job.user_id), _permit(job)
    skill, policy = SKILLS[Route(task.route)], ROUTES[task.route]
    slices = load_slices(permit, user, task)
    held = inferences_of(permit, task.thread, task.as_of) if task.thread else ()
    known = known_then(held, task.as_of)
    news = _news(task)
    prompt = known_of(news, task.as_of)
    # Without the thesis, which memories may have entered: these enter nothing that is the same for everybody (M-6).
    objective = Objective(prompt, slices.language, known_then(held[1:], task.as_of), task.as_of)
    candidates, degraded = remembered(permit, question, task.as_of) if skill.remembers else ([], [])
    return Ingredients(
        task=task,
        skill=skill,
        objective=objective,
        about=_object(task, names_known_to(user).groups),
        slices=slices,
        slice_sources=sources_of(permit, slices, task.as_of),
        advisors=in_order(policy.advisors, slices.risk_prompt_preference, at_stake=policy.at_stake),
        candidates=candidates,
        held=known,
        later=warnings([*said(news), *held], task.as_of),
        degraded=[*degraded, *question.degraded],
    )


def _news(task: ResearchTask) -> str:
    """What the person says now. A refresh with nothing new to say is asked by its thread's title: no statement."""
    is_silent = task.thread is not None and task.route == Route.THREAD_REFRESH and task.prompt == task.thread.title
    return "" if is_silent else task.prompt


def _object(task: ResearchTask, names: Sequence[Group]) -> CognitionObject:
    if task.thread is not None:
        return CognitionObject(task.thread.object_kind, task.thread.object_name)
    return object_of(task.prompt, names)


def _parts(job: Job, given: Ingredients, model: LanguageModel) -> dict[PartName, Answer]:
    """Every part of the skill, advisor by advisor."""
    reading = read(given.objective)
    ordered = [name for advisor in given.advisors for name in given.skill.parts if PARTS[name].advisor == advisor]
    answers: dict[PartName, Answer] = {}
    for number, name in enumerate(ordered):
        _go_on(job, given.task, number, len(ordered), name, answers)
        answers[name] = ask(PARTS[name], given.objective, reading, model)
    return answers


def _go_on(
    job: Job, task: ResearchTask, number: int, count: int, step: str, answers: Mapping[PartName, Answer]
) -> None:
    """Show how far it is, unless its person wants no more of it. The last tenth is the object's."""
    with job.acting():
        if tasks.is_cancelled(task.pk):
            raise Cancelled
    partial = [
        {"part": name, "statements": [one.text for one in answer.statements]} for name, answer in answers.items()
    ]
    tasks.tell(job, task.pk, 5 + 85 * number // count, step, partial)


def _thesis(
    job: Job, given: Ingredients, parts: Mapping[PartName, Answer], told_before: tuple[Statement, ...],
    model: LanguageModel,
) -> Thesis | None:  # fmt: skip
    _go_on(job, given.task, 1, 1, "thesis", parts)
    if not given.skill.states_thesis:
        return None
    asker = Asker(context_element(given.slices.values), given.slice_sources, given.slices.depth, told_before)
    held = given.held[0] if given.held else None
    return compose_thesis(given.objective, read(given.objective), parts, asker, held, model)


def _findings(
    given: Ingredients, parts: Mapping[PartName, Answer], thesis: Thesis | None, told_before: tuple[Statement, ...]
) -> Findings:
    evidence = tuple(dict.fromkeys(one for answer in parts.values() for one in answer.statements))
    by_rule = [answer.model_id == OFFLINE_MODEL_ID for answer in parts.values()]
    note = quality_note(
        given.objective.language,
        evidence,
        by_rule=all(by_rule),
        partly=any(by_rule),
        unfounded=sum(answer.unfounded for answer in parts.values()),
        later=len(given.later),
        as_of=given.objective.as_of.date().isoformat() if given.objective.as_of else "",
    )
    return Findings(
        objective=given.objective,
        reading=read(given.objective),
        about=given.about,
        parts=parts,
        note=note,
        model_id=_model_of(parts.values()),
        thesis=thesis,
        told=told_before,
        held=given.held,
    )


def _model_of(answers: Iterable[Answer]) -> str:
    return next((one.model_id for one in answers if one.model_id != OFFLINE_MODEL_ID), OFFLINE_MODEL_ID)


def _degraded(answers: Iterable[Answer], thesis: Thesis | None) -> list[str]:
    reasons = [reason for answer in answers for reason in answer.degraded]
    return [*reasons, *(thesis.degraded if thesis else ())]


def _refuse_to_act(draft: Draft) -> None:
    """After the model as before it (B-11)."""
    texts = tuple(_texts(draft))
    for text in texts:
        refuse_execution(text)
    if isinstance(draft, CheckpointDraft):
        refuse_fields(texts)


def _texts(draft: Draft) -> Iterable[str]:
    """What of a draft an advisor or a model wrote; a checkpoint's decision is its person's own words."""
    if isinstance(draft, RefreshDraft):
        return _texts(draft.snapshot)
    if isinstance(draft, SnapshotDraft):
        statements = (*draft.evidence, *draft.counter_thesis, *draft.invalidators)
        return (draft.main_thesis, *(one.text for one in statements))
    if isinstance(draft, CheckpointDraft):
        return tuple(one.text for one in (*draft.conditions, *draft.risks, *draft.invalidators))
    return tuple(one.text for section in draft.sections for one in section.statements)


def _stored(permit: Permit, task: ResearchTask, draft: Draft) -> UUID | None:
    """The object made; a report is kept on its task. A refresh may have turned the thesis round (D-3)."""
    if isinstance(draft, SnapshotDraft):
        return results.store_snapshot(permit, task, draft).pk
    if isinstance(draft, CheckpointDraft):
        return results.store_checkpoint(permit, task, draft).pk
    if isinstance(draft, RefreshDraft):
        refresh = results.store_refresh(permit, task, draft)
        drift.stance_flip(permit, refresh.thread, refresh)
        return refresh.pk
    return None


def _outcome(permit: Permit, given: Ingredients, draft: Draft, made: UUID | None, degraded: tuple[str, ...]) -> Outcome:
    report = draft if made is None else None
    return Outcome(
        kind=ROUTES[given.task.route].result_kind,
        model_id=(draft.snapshot if isinstance(draft, RefreshDraft) else draft).model_id,
        id=made,
        report=report,  # type: ignore[arg-type]
        context=given.slices.as_json(),
        advisors=given.advisors,
        lookahead_warnings=given.later,
        degraded=degraded,
        tip=tip_is_due(permit, given.slices),
    )


def _permit(job: Job) -> Permit:
    return permit_for(User.objects.get(pk=job.user_id))
