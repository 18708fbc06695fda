"""Proposes the research route that a prompt asks for, by rules in both languages."""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.material.reading import asking_sentence, sentences
from finclaw.brain.material.sentence_mood import is_question
from foundation.text import normalize
from memory.models import Route

_RULES: Final = (
    (
        Route.PRE_EXECUTION,
        r"\bbefore (?:i|we) (?:buy|sell|act|trade|order|commit|invest|place|enter|exit|execute|go)\b"
        r"|\bpre[- ]?(?:execution|trade)\b"
        r"|\b(?:i'?m|i am|we are|we're) (?:about|going|ready) to "
        r"(?:\w+ )?(?:buy|sell|invest|place|open|close|short|enter|exit|trade)\b"
        r"|\bcheck(?:list|point)?\b.{0,40}\bbefore\b|\bwhat (?:should|must) i check\b"
        r"|(?:下单|买入|卖出|操作|交易|建仓|加仓|减仓|清仓|执行|投资|行动)(?:之)?前"
        r"|(?:买入|卖出|加仓|减仓|清仓)[^，,。]{1,16}(?:之前|以前)|执行前|事前检查"
        r"|我(?:正)?准备(?:要)?.{0,20}(?:买|卖|下单|建仓|加仓|减仓|清仓)",
    ),
    (
        Route.EVIDENCE_AUDIT,
        r"\b(?:audit|verify|fact[- ]?check|double[- ]check|validate)\b"
        r"|\b(?:check|review|assess|weigh|test)\b.{0,20}\b(?:evidence|sources?|claims?|facts?|figures?)\b"
        r"|\b(?:how (?:reliable|solid|good|strong)|quality of)\b.{0,30}\b(?:evidence|sources?|data|claims?)\b"
        r"|审计|核实|核查|查证|求证|验证.{0,8}(?:证据|数据|说法|来源)|证据.{0,6}(?:可靠|可信|质量|充分|扎实)"
        r"|(?:检查|复核).{0,6}(?:证据|来源|数据)",
    ),
    (
        Route.RISK_CHALLENGE,
        r"\b(?:challenge|stress[- ]test|devil'?s advocate|poke holes|red[- ]team|bear case|steel[- ]?man)\b"
        r"|\b(?:what|where|how) (?:could|can|might|would) .{0,30}(?:go )?wrong\b"
        r"|\bwhat are the risks?\b|\brisks? (?:of|in|to|with|around|for)\b"
        r"|\b(?:downside|counter[- ]?(?:arguments?|thesis))\b|\bargue against\b"
        r"|挑战|质疑|反驳|唱反调|压力测试|风险|漏洞|反方|反面|哪里(?:会|可能)?(?:错|出错|有问题)|下行空间",
    ),
    (
        Route.NARRATIVE_MAPPER,
        r"\bnarratives?\b|\bstory ?lines?\b|\b(?:what|which) stor(?:y|ies)\b"
        r"|\b(?:camps|competing views|schools of thought|market sentiment|consensus)\b"
        r"|\bwhat (?:is|are) (?:people|the market|investors) (?:saying|telling|believing)\b"
        r"|叙事|故事线|市场情绪|主流观点|多空(?:观点|双方|分歧)|各方(?:观点|说法)|市场(?:在)?(?:讲|说)什么|共识",
    ),
    (
        Route.EVENT_IMPACT_READER,
        r"\b(?:impacts?|effects?|implications?|consequences|fallout)\b.{0,12}\b(?:of|on|for|from)\b"
        r"|\b(?:affect|impact)s?\b|\bwhat does .{2,80}\bmean for\b"
        r"|\bafter (?:the )?(?:\w+ ){0,3}(?:earnings|results|decision|cut|hike|announcement|election|ruling"
        r"|tariffs?)\b"
        r"|影响|冲击|意味着什么|利好|利空|后果|波及|传导",
    ),
)
_PATTERNS: Final = tuple((route, re.compile(pattern)) for route, pattern in _RULES)
_AGAIN: Final = re.compile(
    r"\b(?:refresh|update|revisit|look again|follow[- ]?up|re-?(?:check|read|assess|evaluate))\b"
    r"|\b(?:what(?:'s| is| has)?|anything) (?:\w+ )?(?:new|changed?)\b|\bsince (?:last|then|my last)\b"
    r"|刷新|更新|跟进|再看(?:一)?(?:看|遍|次)|重新(?:看|评估|审视)|有(?:什么|哪些|没有)?(?:新|变化|进展)"
    r"|(?:自)?上次(?:以来|之后)"
)
_MY_THREADS: Final = re.compile(
    r"\b(?:my|our) (?:[\w'-]+ ){0,4}threads?\b|\bthreads? (?:of mine|(?:that )?i(?:'m| am|'ve| have)? \w+)"
    r"|\bthread i \w+|\b(?:saved|open|active|existing|ongoing) threads?\b"
    r"|我们?(?:的|在)?[^。,.!?;]{0,12}?(?:threads?|线程|跟踪(?:的)?(?:主题|课题|问题|线)|研究(?:线|主题|专题))"
    r"|(?:已保存|保存|进行中|现有|活跃)的?\s*(?:threads?|线程|研究(?:线|主题|专题))",
)


def propose_route(prompt: str) -> Route:
    """The route of the first rule that matches; a snapshot where none does.

    The asking sentence decides, then how the prompt begins: pasted material does not. A refresh is proposed where the
    prompt mentions the user's threads and looking again; the user says which.
    """
    asked = [normalize(sentence) for sentence in (asking_sentence(prompt), *sentences(prompt)[:1])]
    everything_asked = normalize("\n".join((*asked, *filter(is_question, sentences(prompt)))))
    if speaks_of_threads(everything_asked) and _AGAIN.search(everything_asked):
        return Route.THREAD_REFRESH
    return next((route for said in asked for route, pattern in _PATTERNS if pattern.search(said)), Route.SNAPSHOT)


def speaks_of_threads(prompt: str) -> bool:
    """Whether a prompt refers to the user's own threads."""
    return _MY_THREADS.search(normalize(prompt)) is not None
