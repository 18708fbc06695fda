"""Reads everything a research task works with, in one transaction when it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.material.lookahead import filter_known, find_later
from finclaw.brain.material.objective import Language, Objective
from finclaw.brain.material.reading import asking_sentence, known_part, read_statements
from finclaw.brain.material.subject import find_asset, find_object
from finclaw.brain.recall.organisation_knowledge import aliases_known_to
from finclaw.brain.research.output_language import task_language
from finclaw.brain.research.personal_background import find_memories
from finclaw.brain.research.route_skills import SKILLS, ResearchSkill
from finclaw.brain.research.routes import ROUTES
from finclaw.brain.research.slices import load_slices, named_threads
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.research.wording import phrase
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.aliases import AliasGroup
from foundation.accounts.models import User
from foundation.telemetry.degradations import note_degraded
from memory.models import ObjectKind, ResearchTask, Route, Thread
from memory.research.inferences import inferences_of, latest_snapshot
from memory.research.types import CognitionObject, ResearchStatement
from memory.retrieval.services import EmbeddedQuery
from personas.advisor_order import Advisor, ordered_advisors


@dataclass(frozen=True)
class ResearchInputs:
    """Everything a task works with, as read when it began."""

    task: ResearchTask
    skill: ResearchSkill
    objective: Objective
    about: CognitionObject
    slices: LoadedSlices
    threads: tuple[Thread, ...]  # that the slices name
    names: tuple[AliasGroup, ...]  # the organisation's own names
    advisors: tuple[Advisor, ...]
    candidates: list[PromptCandidate]
    held: tuple[ResearchStatement, ...]
    latest: UUID | None  # the thread's snapshot they come from
    later: tuple[ResearchStatement, ...]  # unknown then, and left out


def gather_inputs(permit: Permit, user: User, task: ResearchTask, question: EmbeddedQuery) -> ResearchInputs:
    """Read the inputs. Call in a transaction acting for the user; raises what ``load_slices`` raises."""
    skill, policy = SKILLS[Route(task.route)], ROUTES[task.route]
    slices = load_slices(permit, user, task)
    language = task_language(permit, task, slices)
    held = inferences_of(permit, task.thread, task.as_of) if task.thread else ()
    known = filter_known(held, task.as_of)
    news = task.prompt
    prompt = known_part(news, task.as_of, task.created_at)
    # Without the thesis, which may hold memories: what is the same for everybody must hold none.
    objective = Objective(prompt, language, filter_known(held[1:], task.as_of), task.as_of)
    note_degraded(question.degraded)
    names = aliases_known_to(user)
    return ResearchInputs(
        task=task,
        skill=skill,
        objective=objective,
        about=_find_task_object(task, names, prompt, language),
        slices=slices,
        threads=named_threads(permit, slices, task),
        names=tuple(names),
        advisors=ordered_advisors(policy.advisors, slices.risk_prompt_preference, at_stake=policy.at_stake),
        candidates=find_memories(permit, question, task.as_of) if skill.remembers else [],
        held=known,
        latest=latest_snapshot(permit, task.thread) if task.thread else None,
        later=find_later([*read_statements(news, task.created_at), *held], task.as_of),
    )


def _find_task_object(
    task: ResearchTask, names: Sequence[AliasGroup], known: str, language: Language
) -> CognitionObject:
    """What the task is about, by what was known then; the asset alone where the asking sentence was not."""
    if task.thread is not None:
        return CognitionObject(task.thread.object_kind, task.thread.object_name)
    if asking_sentence(task.prompt) == asking_sentence(known):
        return find_object(known, names)
    asset = find_asset(task.prompt, names)
    if asset:
        return CognitionObject(ObjectKind.ASSET, asset)
    return (
        find_object(known, names) if known.strip() else CognitionObject(ObjectKind.THEME, phrase(language, "unnamed"))
    )
