"""What one piece of research has to go on, read in one transaction when it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.aliases import Group
from finclaw.brain.organisation_knowledge import names_known_to
from finclaw.brain.research.lookahead import known_then, later_than
from finclaw.brain.research.material_reading import asking, known_of, said
from finclaw.brain.research.objective import Language, Objective
from finclaw.brain.research.output_language import language_for
from finclaw.brain.research.personal_background import remembered
from finclaw.brain.research.route_skills import SKILLS, Skill
from finclaw.brain.research.routes import ROUTES
from finclaw.brain.research.slices import load_slices, threads_named
from finclaw.brain.research.subject import asset_of, object_of
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.research.wording import words
from finclaw.brain.types import Candidate
from foundation.accounts.models import User
from memory.models import ObjectKind, ResearchTask, Route, Thread
from memory.research.inferences import inferences_of, latest_snapshot
from memory.research.types import CognitionObject, ResearchStatement
from memory.retrieval.services import EmbeddedQuery
from personas.advisors import Advisor, in_order


@dataclass(frozen=True)
class Ingredients:
    """What one task has to go on, read when it began."""

    task: ResearchTask
    skill: Skill
    objective: Objective
    about: CognitionObject
    slices: LoadedSlices
    threads: tuple[Thread, ...]  # that the slices name
    names: tuple[Group, ...]  # what the organisation calls things by
    advisors: tuple[Advisor, ...]
    candidates: list[Candidate]
    held: tuple[ResearchStatement, ...]
    latest: UUID | None  # the thread's snapshot that they stand on
    later: tuple[ResearchStatement, ...]  # what nobody could know then, and is left out
    degraded: list[str] = field(default_factory=list)


def gather(permit: Permit, user: User, task: ResearchTask, question: EmbeddedQuery) -> Ingredients:
    """Read it all. To be called in a transaction acting for the person; raises what ``load_slices`` raises."""
    skill, policy = SKILLS[Route(task.route)], ROUTES[task.route]
    slices = load_slices(permit, user, task)
    language = language_for(permit, task, slices)
    held = inferences_of(permit, task.thread, task.as_of) if task.thread else ()
    known = known_then(held, task.as_of)
    news = task.prompt
    prompt = known_of(news, task.as_of, task.created_at)
    # Without the thesis, which memories may have entered: these enter nothing that is the same for everybody (M-6).
    objective = Objective(prompt, language, known_then(held[1:], task.as_of), task.as_of)
    candidates, degraded = remembered(permit, question, task.as_of) if skill.remembers else ([], [])
    names = names_known_to(user).groups
    return Ingredients(
        task=task,
        skill=skill,
        objective=objective,
        about=_object(task, names, prompt, language),
        slices=slices,
        threads=threads_named(permit, slices, task),
        names=tuple(names),
        advisors=in_order(policy.advisors, slices.risk_prompt_preference, at_stake=policy.at_stake),
        candidates=candidates,
        held=known,
        latest=latest_snapshot(permit, task.thread) if task.thread else None,
        later=later_than([*said(news, task.created_at), *held], task.as_of),
        degraded=[*degraded, *question.degraded],
    )


def _object(task: ResearchTask, names: Sequence[Group], known: str, language: Language) -> CognitionObject:
    """What it is about, by what was known then: where the sentence that asks was not, by the asset alone."""
    if task.thread is not None:
        return CognitionObject(task.thread.object_kind, task.thread.object_name)
    if asking(task.prompt) == asking(known):
        return object_of(known, names)
    asset = asset_of(task.prompt, names)
    if asset:
        return CognitionObject(ObjectKind.ASSET, asset)
    return object_of(known, names) if known.strip() else CognitionObject(ObjectKind.THEME, words(language, "unnamed"))
