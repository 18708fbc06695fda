"""Recommends what to research next: the permitted routes in order, each with an example question.

Routes close to the recent threads first, then those used lately, then the usual order. The conditions a thread is
offered depend on its object, never on the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from django.utils.translation import get_language

from consent.permit import Permit
from finclaw.brain.context_slices import SLICES
from finclaw.brain.material.objective import Language
from finclaw.brain.material.route_proposal import propose_route
from finclaw.brain.research.slices import recent_threads
from finclaw.brain.research.types import RecommendationReason, RecommendedRoute
from finclaw.brain.skills.permissions import permitted_skills, skill_access_of
from foundation.accounts.models import User
from memory.models import ObjectKind, Route, Thread, UserContext
from memory.research.profile_context import profile_context
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
EXAMPLES: Final = MappingProxyType[Language, MappingProxyType[Route, str]](
    {
        "en": MappingProxyType(
            {
                Route.SNAPSHOT: "Where does {name} stand now, and what speaks for and against it?",
                Route.THREAD_REFRESH: "What has changed for {name} since I last looked?",
                Route.RISK_CHALLENGE: "What could go wrong with my view of {name}?",
                Route.PRE_EXECUTION: "What should I check before I act on {name}?",
                Route.EVIDENCE_AUDIT: "How reliable is the evidence on {name}?",
                Route.NARRATIVE_MAPPER: "Which narratives compete about {name}?",
                Route.EVENT_IMPACT_READER: "What does the latest news mean for {name}?",
            }
        ),
        "zh": MappingProxyType(
            {
                Route.SNAPSHOT: "{name}现在处于什么位置，支持和反对的依据各是什么？",
                Route.THREAD_REFRESH: "自上次以来，{name}有什么变化？",
                Route.RISK_CHALLENGE: "我对{name}的看法哪里可能出错？",
                Route.PRE_EXECUTION: "就{name}行动之前，我应该检查什么？",
                Route.EVIDENCE_AUDIT: "关于{name}的证据有多可靠？",
                Route.NARRATIVE_MAPPER: "围绕{name}有哪些相互竞争的叙事？",
                Route.EVENT_IMPACT_READER: "最新消息对{name}意味着什么？",
            }
        ),
    }
)
_NO_THREAD_YET: Final = MappingProxyType[Language, str]({"en": "NVDA", "zh": "贵州茅台"})
_CONDITIONS: Final = MappingProxyType[Language, MappingProxyType[str, tuple[str, ...]]](
    {
        "en": MappingProxyType(
            {
                ObjectKind.ASSET.value: (
                    "{name} reports results or changes its guidance.",
                    "An invalidator of the thesis comes about.",
                    "The price leaves the range that the thesis assumed.",
                ),
                ObjectKind.THEME.value: (
                    "A policy, a regulation or a key figure about {name} changes.",
                    "Another narrative about {name} becomes the prevailing one.",
                    "An invalidator of the thesis comes about.",
                ),
                ObjectKind.EVENT.value: (
                    "The date or the outcome of {name} becomes known.",
                    "Effects show that the thesis did not expect.",
                    "A month has passed since {name}.",
                ),
            }
        ),
        "zh": MappingProxyType(
            {
                ObjectKind.ASSET.value: (
                    "{name}发布业绩或调整指引。",
                    "论点的任一失效条件成立。",
                    "价格离开论点所假设的区间。",
                ),
                ObjectKind.THEME.value: (
                    "与{name}有关的政策、监管或关键数据发生变化。",
                    "关于{name}的另一种叙事成为主流。",
                    "论点的任一失效条件成立。",
                ),
                ObjectKind.EVENT.value: (
                    "{name}的时间或结果已经明确。",
                    "出现论点没有预料到的影响。",
                    "{name}已经过去一个月。",
                ),
            }
        ),
    }
)
_FIRST_QUESTIONS: Final = MappingProxyType[Language, MappingProxyType[str, str]](
    {
        "en": MappingProxyType(
            {
                UserContext.RiskPrompt.BALANCED.value: "What speaks for and against NVDA at this point?",
                UserContext.RiskPrompt.COUNTER_FIRST.value: "What is the best case against NVDA, and what answers it?",
                UserContext.RiskPrompt.RISK_FIRST.value: "What are the main risks of NVDA, and what speaks for it?",
            }
        ),
        "zh": MappingProxyType(
            {
                UserContext.RiskPrompt.BALANCED.value: "目前支持和反对贵州茅台的依据各是什么？",
                UserContext.RiskPrompt.COUNTER_FIRST.value: "反对贵州茅台的最有力理由是什么，又该如何回应？",
                UserContext.RiskPrompt.RISK_FIRST.value: "贵州茅台的主要风险是什么，支持它的又是什么？",
            }
        ),
    }
)

_FIRST_MATERIAL: Final = MappingProxyType[Language, str](  # figures as both companies published them
    {
        "en": "On 27 August 2025 Nvidia reported quarterly revenue of 46.7 billion dollars, up 56% on the year.\n"
        "In the same quarter it sold no H20 chips to China: export rules are a risk.\n"
        "I think its lead lasts. If gross margin falls below 70%, I am wrong.",
        "zh": "2025年8月12日，贵州茅台公布上半年营业总收入910.94亿元，同比增长9.16%。\n"
        "飞天茅台批价走低，渠道库存是风险。\n"
        "我认为它的品牌护城河稳固。如果批价跌破1500元，我的判断就错了。",
    }
)


def recommend_routes(permit: Permit, user: User) -> tuple[RecommendedRoute, ...]:
    """The permitted routes, those close to recent threads first, each with a question about such a thread.

    Without a thread, the refresh route has an empty example. Without ``save_to_thread`` threads are not read, after a
    revocation neither is the past: the usual order. Call in a transaction acting for the user.
    """
    threads, language = recent_threads(permit), stated_language(permit)
    ranked: dict[Route, tuple[RecommendationReason, str]] = {}
    for route, reason, name in (*_near_threads(threads), *_by_recent_use(permit, threads, language)):
        ranked.setdefault(route, (reason, name))
    usable = permitted_skills(skill_access_of(user))
    return tuple(
        RecommendedRoute(route, reason, _example_question(route, name, language, follows=bool(threads)))
        for route, (reason, name) in ranked.items()
        if route in usable
    )


def _example_question(route: Route, name: str, language: Language, *, follows: bool) -> str:
    return EXAMPLES[language][route].format(name=name) if follows or route != Route.THREAD_REFRESH else ""


def refresh_conditions_for(about: CognitionObject, language: Language = "en") -> tuple[str, ...]:
    """When a thread about this object is worth a refresh, by the object's kind alone."""
    return tuple(sentence.format(name=about.name) for sentence in _CONDITIONS[language][about.kind])


def first_question(language: Language, risk_prompt_preference: str = "") -> str:
    """An example for a first task that fits the preferences just set."""
    questions = _FIRST_QUESTIONS[language]
    return questions.get(risk_prompt_preference, questions[SLICES["S3"].default])


def first_prompt(language: Language, risk_prompt_preference: str = "") -> str:
    """The first question with material to go on: nothing is looked up outside the prompt."""
    return f"{first_question(language, risk_prompt_preference)}\n{_FIRST_MATERIAL[language]}"


def stated_language(permit: Permit) -> Language:
    """The language the user stated for everything (slice S1), or that of their page. Call in a transaction acting for
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


def _by_recent_use(permit: Permit, threads: list[Thread], language: Language) -> Iterator[_Ranked]:
    """The routes used lately, then the usual ones, then all others."""
    name = threads[0].object_name if threads else _NO_THREAD_YET[language]
    yield from ((route, "used lately", name) for route in _used_routes(permit))
    yield from ((route, "usual", name) for route in (*USUAL, *Route))


def _used_routes(permit: Permit) -> tuple[Route, ...]:
    """The routes of the user's latest tasks, each once, latest first; none after a revocation."""
    if permit.revoked:
        return ()
    latest = tasks_of(permit).values_list("route", flat=True)[:50]
    return tuple(dict.fromkeys(map(Route, latest)))[: len(USUAL)]
