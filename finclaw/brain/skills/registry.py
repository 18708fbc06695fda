"""Every skill, as a literal list, with the confidence of each of the seven research routes."""
# ruff: noqa: E501 - a pattern and what it means are read together

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from finclaw.brain.material.route_proposal import propose_route
from finclaw.brain.skills.types import Confidence, Skill
from finclaw.brain.types import Intent
from finclaw.brain.understanding.work_requests import request_sentence
from foundation.language import ParsedMessage
from foundation.lexicon import read_lexicon
from memory.models import Route
from memory.research.task_lifecycle import RESEARCH_TOPIC

_WORDS: Final = read_lexicon(__file__)

RESEARCH: Final = "research"
"""The capability of all seven routes: the type of intent that asks for research."""
CONFIDENCE_NAMED_LAST: Final = 0.95  # the request ends with the work's name, as it does in Chinese: …的快照
CONFIDENCE_NAMED: Final = 0.9  # the request names the work; the earlier, the surer
LATENESS_PENALTY: Final = 0.1  # the most by which a name late in the request lowers ``CONFIDENCE_NAMED``
CONFIDENCE_SUGGESTED: Final = 0.6  # the request's words suggest the route, as on the page Ask
CONFIDENCE_USUAL: Final = 0.4  # research that names no kind begins with a snapshot

_NAMES: Final = MappingProxyType(
    {
        Route.SNAPSHOT: r"\bsnapshots?\b|快照",
        Route.THREAD_REFRESH: r"\b(?:refresh|update|revisit|look again at)\b.{0,60}\bthreads?\b|\bthread refresh\b"
        r"|(?:刷新|更新|跟进|重新(?:看|评估)).{0,30}(?:线程|threads?|跟踪|研究(?:线|主题|专题))|线程刷新",
        Route.RISK_CHALLENGE: r"\brisk challenge\b"
        r"|\b(?:challenge|stress[- ]?test|red[- ]team|bear case|devil'?s advocate"
        r"|argue against|poke holes)\b|挑战|质疑|反驳|压力测试|唱反调",
        Route.PRE_EXECUTION: r"\bpre[- ]?(?:execution|trade)\b|\bcheckpoint\b|\bcheck(?:list)? before\b"
        r"|(?:执行|交易|下单|买入|卖出|行动|投资|操作)前的?(?:检查|清单|核对)|事前检查|检查点",
        Route.EVIDENCE_AUDIT: r"\b(?:audit|fact[- ]?check)\b"
        r"|\bverify\b.{0,40}\b(?:evidence|sources?|claims?|figures?)\b"
        r"|审计|核查|核实|查证",
        Route.NARRATIVE_MAPPER: r"\bnarratives?\b|叙事|故事线",
        Route.EVENT_IMPACT_READER: r"\bimpact (?:read(?:ing|er)?|analysis|assessment|report|study)\b|影响的?(?:解读|分析|评估)",
    }
)  # fmt: skip
_NOTHING_MORE: Final = _WORDS.of("zh").pattern("nothing_more")
_NAMED: Final = {route: re.compile(pattern) for route, pattern in _NAMES.items()}


def _route_confidence(route: Route) -> Confidence:
    """A route's confidence in a message: higher where the request names it than where its words merely suggest it."""

    def can_handle(intent: Intent, message: ParsedMessage) -> float:
        said = request_sentence(message)
        if named := _named_confidence(route, said):
            return named
        if propose_route(said) != route:
            return 0.0
        return CONFIDENCE_USUAL if route == Route.SNAPSHOT else CONFIDENCE_SUGGESTED

    return can_handle


def _named_confidence(route: Route, said: str) -> float:
    found = list(_NAMED[route].finditer(said))
    if not found:
        return 0.0
    if not found[-1].group().isascii() and _NOTHING_MORE.match(said, found[-1].end()):
        return CONFIDENCE_NAMED_LAST
    return CONFIDENCE_NAMED - LATENESS_PENALTY * found[0].start() / len(said)


def _research_skill(route: Route) -> Skill:
    return Skill(
        route.value, frozenset({RESEARCH, route.value}), _route_confidence(route), tools=frozenset({RESEARCH_TOPIC})
    )


SKILLS: tuple[Skill, ...] = (
    # Of two equally confident skills the first is taken: narrower kinds of work stand first.
    _research_skill(Route.THREAD_REFRESH),
    _research_skill(Route.PRE_EXECUTION),
    _research_skill(Route.EVIDENCE_AUDIT),
    _research_skill(Route.NARRATIVE_MAPPER),
    _research_skill(Route.EVENT_IMPACT_READER),
    _research_skill(Route.SNAPSHOT),
    _research_skill(Route.RISK_CHALLENGE),
)
