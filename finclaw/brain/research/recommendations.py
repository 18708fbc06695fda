"""Recommends what to research next: the permitted routes in order, each with an example question.

Routes close to the recent threads first, then those used lately, then the usual order. An example names what the route
was last used on, else what was last worked on. The conditions a thread is offered depend on its object, never on the
user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from django.utils.translation import get_language

from consent.permit import Permit
from finclaw.brain.context_slices import RISK_TONE, SLICES
from finclaw.brain.material.route_proposal import propose_route
from finclaw.brain.recall.organisation_knowledge import organisation_aliases
from finclaw.brain.research.antecedents import named_object
from finclaw.brain.research.slices import recent_threads
from finclaw.brain.research.types import RecommendationReason, RecommendedRoute
from finclaw.brain.skills.permissions import permitted_skills, skill_access_of
from finclaw.brain.understanding.aliases import AliasGroup
from foundation.accounts.models import User
from foundation.language import Language
from foundation.lexicon import read_lexicon
from foundation.personal_data import ConsentScope
from memory.models import ObjectKind, ResearchTask, Route, Thread
from memory.research.profile_context import profile_context
from memory.research.results import snapshots_of
from memory.research.task_lifecycle import tasks_of
from memory.research.types import CognitionObject

USUAL: Final = (Route.SNAPSHOT, Route.THREAD_REFRESH, Route.RISK_CHALLENGE)
_CLOSE_TO: Final = MappingProxyType[str, tuple[Route, ...]](
    {
        ObjectKind.ASSET.value: (Route.RISK_CHALLENGE, Route.SNAPSHOT),
        ObjectKind.THEME.value: (Route.NARRATIVE_MAPPER, Route.EVIDENCE_AUDIT),
        ObjectKind.EVENT.value: (Route.EVENT_IMPACT_READER, Route.RISK_CHALLENGE),
    }
)
_TASKS_READ: Final = 50
_WORDS: Final = read_lexicon(__file__)
EXAMPLES: Final = _WORDS.by_language("examples")
_NO_THREAD_YET: Final = _WORDS.sentence("no_thread_yet")
_CONDITIONS: Final = _WORDS.by_language("conditions")
_FIRST_QUESTIONS: Final = _WORDS.by_language("first_questions")
_FIRST_MATERIAL: Final = _WORDS.sentence("first_material")


def recommend_routes(permit: Permit, user: User) -> tuple[RecommendedRoute, ...]:
    """The permitted routes, those close to recent threads first, each with a question about what it was used on.

    Without a thread, the refresh route has an empty example. Without ``save_to_thread`` threads are not read, after a
    revocation neither is the past: the usual order. Call in a transaction acting for the user.
    """
    permit = permit.for_answers()
    threads, language = recent_threads(permit), stated_language(permit)
    used = _recent_work(permit, user)
    ranked: dict[Route, tuple[RecommendationReason, str]] = {}
    for route, reason, name in (*_near_threads(threads), *_by_recent_use(used, threads, language)):
        ranked.setdefault(route, (reason, name))
    usable = permitted_skills(skill_access_of(user))
    return tuple(
        RecommendedRoute(route, reason, _example_question(route, name, language, follows=bool(threads)))
        for route, (reason, name) in ranked.items()
        if route in usable
    )


def _example_question(route: Route, name: str, language: Language, *, follows: bool) -> str:
    return str(EXAMPLES[language][route]).format(name=name) if follows or route != Route.THREAD_REFRESH else ""


def refresh_conditions_for(about: CognitionObject, language: Language = "en") -> tuple[str, ...]:
    """When a thread about this object is worth a refresh, by the object's kind alone."""
    return tuple(sentence.format(name=about.name) for sentence in _CONDITIONS[language][about.kind])


def first_question(language: Language, risk_prompt_preference: str = "") -> str:
    """An example for a first task that fits the preferences just set."""
    questions = _FIRST_QUESTIONS[language]
    return str(questions.get(risk_prompt_preference, questions[SLICES[RISK_TONE].default]))


def first_prompt(language: Language, risk_prompt_preference: str = "") -> str:
    """The first question with material to go on: nothing is looked up outside the prompt."""
    return f"{first_question(language, risk_prompt_preference)}\n{_FIRST_MATERIAL[language]}"


def stated_language(permit: Permit) -> Language:
    """The language the user stated for everything, or that of their page. Call in a transaction acting for
    them.
    """
    context = profile_context(permit)
    stated = context.language_preference if context else ""
    return "zh" if (stated or get_language() or "").startswith("zh") else "en"


_Ranked = tuple[Route, RecommendationReason, str]


def _near_threads(threads: list[Thread]) -> Iterator[_Ranked]:
    """What suits each thread: a refresh, what its title asks for, what fits its object."""
    for thread in threads:
        for route in (Route.THREAD_REFRESH, propose_route(thread.title), *_CLOSE_TO[thread.object_kind]):
            yield route, "close to a thread", thread.object_name


def _by_recent_use(used: Mapping[Route, str], threads: list[Thread], language: Language) -> Iterator[_Ranked]:
    """The routes used lately, each about what it was used on; then the usual ones and all others, about the latest."""
    followed = (thread.object_name for thread in threads)
    latest = next(filter(None, (*used.values(), *followed, _NO_THREAD_YET[language])))
    yield from ((route, "used lately", name or latest) for route, name in tuple(used.items())[: len(USUAL)])
    yield from ((route, "usual", used.get(route) or latest) for route in (*USUAL, *Route))


def _recent_work(permit: Permit, user: User) -> dict[Route, str]:
    """The routes of the user's latest tasks, latest first, with what each was last used on, "" where that is unknown;
    none after a revocation.
    """
    if permit.is_revoked:
        return {}
    latest: dict[Route, ResearchTask] = {}
    for task in tasks_of(permit)[:_TASKS_READ]:
        latest.setdefault(Route(task.route), task)
    made = snapshots_of(permit).filter(task__in=latest.values()).values_list("task_id", "object_name")
    found, names = dict(made), organisation_aliases() if latest else ()
    may_read_threads = permit.allows(ConsentScope.SAVE_TO_THREAD)
    return {
        route: found.get(task.pk) or _name_of(task, names) if may_read_threads or task.thread is None else ""
        for route, task in latest.items()
    }


def _name_of(task: ResearchTask, names: Collection[AliasGroup]) -> str:
    """What a task that made no snapshot is about: its thread's object, or the asset it names."""
    if task.thread is not None:
        return task.thread.object_name
    named = named_object(task.prompt, names)
    return named.name if named else ""
