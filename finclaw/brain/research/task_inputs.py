"""Gathers what a task works with when it begins, and the memories that bear on its personal part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, cast
from uuid import UUID

from consent.permit import Permit
from consent.services import note_personalization
from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.lookahead import find_postdated, statements_known_by
from finclaw.brain.material.reading import asking_sentence, prompt_known_by, read_statements
from finclaw.brain.material.subject import find_asset, find_object, refers_back
from finclaw.brain.recall.ended_statements import mark_ended
from finclaw.brain.recall.organisation_knowledge import organisation_aliases
from finclaw.brain.recall.relevance import judge_relevance
from finclaw.brain.recall.search import hit_candidate
from finclaw.brain.research.antecedents import find_antecedent
from finclaw.brain.research.canonical_objects import name_object, object_of_thread
from finclaw.brain.research.routes import ROUTES, RoutePolicy
from finclaw.brain.research.slices import load_slices, named_threads, task_language
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.sanitization.candidates import sanitize_candidates
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.aliases import AliasGroup
from finclaw.brain.understanding.question_slots import requested_slots
from foundation.accounts.models import User
from foundation.language import (
    Language,
)
from foundation.llm import LanguageModel
from foundation.telemetry.degradations import note_degraded
from memory.core import MEMORY
from memory.exceptions import MemoryUnavailable
from memory.models import CognitiveEvent, ObjectKind, ResearchTask, Thread
from memory.research.inferences import inferences_of, latest_snapshot
from memory.research.types import CognitionObject, ResearchStatement, SourceKind, StatementSource
from memory.research.unnamed_objects import unnamed_object
from memory.retrieval.services import EmbeddedQuery
from memory.types import SearchQuery
from personas.advisor_order import Advisor, ordered_advisors

BY_DEPTH: Final = MappingProxyType({"quick": 2, "standard": 4, "deep": 8})
"""How many memories a task may show, by research depth."""


@dataclass(frozen=True)
class ResearchInputs:
    """Everything a task works with, as read when it began."""

    task: ResearchTask
    policy: RoutePolicy
    brief: ResearchBrief
    cognition_object: CognitionObject
    slices: LoadedSlices
    threads: tuple[Thread, ...]  # that the slices name
    names: tuple[AliasGroup, ...]  # the organisation's own names
    advisors: tuple[Advisor, ...]
    candidates: list[PromptCandidate]
    inferred: tuple[ResearchStatement, ...]
    latest: UUID | None  # the thread's latest snapshot when the task began
    postdated: tuple[ResearchStatement, ...]  # left out, as dated after the back-test's date


def gather_inputs(permit: Permit, user: User, task: ResearchTask, question: EmbeddedQuery) -> ResearchInputs:
    """Read the inputs. Call in a transaction acting for the user; raises what ``load_slices`` raises."""
    note_personalization(permit)
    permit, policy = permit.for_answers(), ROUTES[task.route]
    slices = load_slices(permit, user, task)
    language = task_language(permit, task, slices)
    inferred = inferences_of(permit, task.thread, task.as_of) if task.thread else ()
    known = statements_known_by(inferred, task.as_of)
    news = task.prompt
    prompt = prompt_known_by(news, task.as_of, task.created_at)
    # [1:] leaves out the thesis, which may hold memories: a brief must be the same for everybody.
    brief = ResearchBrief(prompt, language, statements_known_by(inferred[1:], task.as_of), task.as_of)
    note_degraded(question.degraded)
    names = organisation_aliases()
    candidates = find_memories(permit, question, user.name, task.as_of) if policy.uses_user_statements else []
    return ResearchInputs(
        task=task,
        policy=policy,
        brief=brief,
        cognition_object=_named_object(permit, task, names, candidates, prompt, language),
        slices=slices,
        threads=named_threads(permit, slices, task),
        names=tuple(names),
        advisors=ordered_advisors(policy.advisors, slices.risk_prompt_preference, at_stake=policy.at_stake),
        candidates=candidates,
        inferred=known,
        latest=latest_snapshot(permit, task.thread) if task.thread else None,
        postdated=find_postdated([*read_statements(news, task.created_at), *inferred], task.as_of),
    )


def _named_object(
    permit: Permit,
    task: ResearchTask,
    names: Sequence[AliasGroup],
    remembered: Sequence[PromptCandidate],
    known: str,
    language: Language,
) -> CognitionObject:
    """What the task is about, under the one name that its user knows it by; a thread's object as the thread has it."""
    if task.thread is not None:
        return object_of_thread(task.thread)
    about = _taken_from_before(permit, task, names, remembered) or _find_task_object(task, names, known, language)
    return name_object(permit, about, names, language)


def _taken_from_before(
    permit: Permit, task: ResearchTask, names: Sequence[AliasGroup], remembered: Sequence[PromptCandidate]
) -> CognitionObject | None:
    """The object of a task that names none of its own; None for one that does."""
    if not refers_back(task.prompt, names):
        return None
    return find_antecedent(permit, task, names, remembered)


def _find_task_object(
    task: ResearchTask, names: Sequence[AliasGroup], known: str, language: Language
) -> CognitionObject:
    """What the task is about, by what was ``known`` of its prompt; an asset first where the asking sentence was not."""
    if asking_sentence(task.prompt) == asking_sentence(known):
        return find_object(known, names)
    asset = find_asset(task.prompt, names)
    if asset:
        return CognitionObject(ObjectKind.ASSET, asset)
    return find_object(known, names) if known.strip() else unnamed_object(language)


def find_memories(permit: Permit, question: EmbeddedQuery, name: str, as_of: datetime | None) -> list[PromptCandidate]:
    """The user's own statements and events relevant to the question, as known at ``as_of``; events call them ``name``.

    Call in a transaction acting for the user.
    """
    text = question.text
    queries = [
        SearchQuery(text, ("item",), valid_at=as_of, known_at=as_of),
        SearchQuery(text, ("event",), time_to=as_of, top_k=BY_DEPTH["deep"]),
    ]
    try:
        found = MEMORY.read_personal_memories(permit, queries, question)
    except MemoryUnavailable as error:
        note_degraded([error.code])
        return []
    for search in found:
        note_degraded(search.degraded)
    candidates = [_as_of_then(hit_candidate(hit, ""), as_of) for search in found for hit in search.hits]
    current = mark_ended(permit, candidates, name, known_at=as_of)
    relevant = [
        candidate
        for candidate in judge_relevance(current, requested_slots(text), question.terms)
        if candidate.relevant and not candidate.left_out
    ]
    return _without_later_events(relevant, as_of)


def _as_of_then(candidate: PromptCandidate, as_of: datetime | None) -> PromptCandidate:
    """A memory that was searched for as of a moment is not past: it was in force then, whatever corrected it later."""
    return candidate if as_of is None or candidate.kind != "item" else replace(candidate, is_past=False)


def _without_later_events(candidates: list[PromptCandidate], as_of: datetime | None) -> list[PromptCandidate]:
    """The candidates without events written after ``as_of``, whatever day they tell of."""
    if as_of is None:
        return candidates
    events = [candidate.id for candidate in candidates if candidate.kind == "event"]
    postdated = set(CognitiveEvent.objects.filter(pk__in=events, created_at__gt=as_of).values_list("pk", flat=True))
    return [candidate for candidate in candidates if candidate.id not in postdated]


def best_statements(
    candidates: list[PromptCandidate], depth: str, model: LanguageModel
) -> tuple[ResearchStatement, ...]:
    """The best candidates, sanitized, as statements that name their rows. Call outside any transaction."""
    fit = [candidate for candidate in sanitize_candidates(candidates) if candidate.safe_text]
    best = sorted(fit, key=lambda candidate: candidate.score, reverse=True)[: BY_DEPTH[depth]]
    return tuple(
        ResearchStatement(
            candidate.safe_text,
            candidate.occurred_at,
            (StatementSource(cast("SourceKind", candidate.kind), str(candidate.id)),),
        )
        for candidate in best
    )
