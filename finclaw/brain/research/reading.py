"""What a person's own material says, sentence by sentence: what the offline builders have to go on.

Nothing is judged true here. A sentence is put where its own words put it, and one that fits nowhere stays material.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from finclaw.brain.research.dates import dated
from finclaw.brain.research.lookahead import known_then
from finclaw.brain.research.objective import Objective
from foundation.text import normalize, split_sentences
from memory.research.types import Source, Statement

PROMPT = Source("prompt", "")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、])\s*")
_MARKED = re.compile(r"[?？]\W*$")
_ASKED_EN = re.compile(  # without a mark: an auxiliary before its subject; a comma after it would make it a condition
    r"^(?:(?:what|why|how(?: \w+)?|which|who|when|where) (?:is|are|was|does|do|did|has|have|will|would|can|could"
    r"|should|might)|is|are|was|were|does|do|did|has|have|will|would|can|could|should)\b[^,]*$"
    r"|^(?:what|why|how|which|who|when|where)\b[^.。]*$",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(
    r"(?:吗|呢|(?<![那这多要怎什])么)\W*$|(?:需要?|有待|待)先?(?:确认|核实)"
    r"|(?:什么|为何|如何|怎么|怎样|何时|多少|哪些|哪个|哪里|几时|是否|能否|会不会|是不是|有没有|能不能)[^。]*$"
)
_NOT_ASKED_ZH = re.compile(r"(?:无论|不管|不论|取决于|没有?)[^,，;；]{0,8}(?:什么|如何|怎么|怎样|多少|是否|哪)|什么都")
_REQUEST = re.compile(
    r"^(?:please|analy[sz]e|assess|look (?:at|into)|audit|give me|tell me|help me|refresh|challenge|summari[sz]e"
    r"|evaluate|write|explain|check|read|map|(?:research|review)"
    r"(?! (?:and|of|by|from|in|on|firms?|reports?|notes?|shows?|showed|found|suggests?|spending|costs?)\b))\b(?!-)"
    r"|^(?:请|帮我|帮忙|看看|(?:分析|研究|检查|审计|梳理|总结|评估|更新)"
    r"(?!师|员|院|所|机构|报告|显示|发现|表明|认为|指出|结果|意见|后|值|中|人))|[,，;；]\s*(?:先|再|也)?(?:请|帮我|帮忙|麻烦)",
    re.IGNORECASE,
)
_WHAT_FOLLOWS = re.compile(r"(?<=[:：])\s*(?=[^\d\s].{5})")
_TURNS = re.compile(
    r"\b(?<!nothing )(?<!anything )(?:but|however|yet)\b|但是?(?!凡)|然而|不过(?!是)|可是", re.IGNORECASE
)
_AGAINST = re.compile(
    r"\b(?:risks?(?!(?: |-)(?:rewards?|free|adjusted|appetite))|risky|concerns?|worry|worries|worried|threat\w*|weak\w*"
    r"|declin\w+|slow(?:s|ed|ing|down)?|fell|falls?|falling|drop\w*|loss(?:es)?|losing|lost|overvalued|expensive"
    r"|stretched|bear(?:s|ish)?|against|downside|pressure|headwinds?|competition|competitors?|miss(?:es|ed)"
    r"|disappoint\w*|deteriorat\w+|shr(?:ink\w*|ank|unk)|dilut\w+)\b"
    r"|风险|担忧|担心|下滑|下降|下跌|跌破|放缓|亏损|高估|过高|看空|利空|压力|竞争|威胁|疲软|走弱|恶化|不及预期|价格战|减值",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\b(?:rose|rises?|rising|grew|grows?|growing|growth|gain(?:s|ed)?|improv\w+|beat|strong\w*|strength\w*|record"
    r"|expand\w*|increas\w+|accelerat\w+|up)\b"
    r"|增长|上涨|上升|回升|改善|提升|提高|扩大|加速|强劲|超预期|创新高|稳健|看好",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|never|without|less|isn't|aren't)(?: \w+)?\s$"
    r"|(?:没有?|并无|不存在|不再|不会|不是|[并尚]?未)\w{0,2}$|不$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?<!even )(?<!as )(?<!what )\bif\b(?! (?:any|anything|not)\b)"
    r"(?! (?:you|we|one) (?:include|exclude|count|adjust|strip)\b)"
    r"|\b(?:unless|as long as|provided that|in case|until (?!now|then|recently|lately|(?:\w+ )?(?:19|20)\d\d))\b"
    r"|(?<!at )\bonce (?:the|it|they|this|that|its|their|a|an)\b"
    r"|^should [^,?]{3,80},|^when \w[^,?]{3,80}, (?:the|i|we)\b"
    r"|如果|假如|(?<!倘)若(?!干)|一旦|除非|只要|倘若|(?<![主重需只])要是",
    re.IGNORECASE,
)
_SAID_EN = r"(?:(?:still|now|also|really|personally|strongly|firmly|no longer|do not|don't|therefore) )*"
_SAID_ZH = r"(?:现在|目前|仍然?|依然|依旧|还是|一直|更|也|并?不再?|已经?|个人|本人)*"
_STANCE = re.compile(
    rf"\b(?:i|we) {_SAID_EN}(?:think|believe|expect|hold|remain|see)\b"
    r"|\b(?:i am|i'm|we are|we're) (?:\w+ )?(?:bullish|bearish|convinced|confident|sure|certain|positive|negative"
    r"|cautious|optimistic|pessimistic|sceptical|skeptical|neutral|overweight|underweight)\b"
    r"|\b(?:my|our) (?:\w+ )?(?:thesis|view|case|conviction)\b"
    r"|\bthe (?:thesis|case (?:for|against)|\w+ case (?:is|rests))\b"
    rf"|我(?:们)?{_SAID_ZH}(?:认为|觉得|相信|看好|看空|看多|预计|判断)"
    r"|(?:我的|我们的|核心)(?:投资)?(?:论点|观点|判断|逻辑)|^(?:论点|观点|判断)[是为:：]",
    re.IGNORECASE,
)
_MARKET = re.compile(
    r"\b(?:market|sector|industry|macro\w*|(?:interest |policy |higher |lower )rates?|rates (?:fall|rise|stay)\w*"
    r"|rate (?:cut|hike)s?|inflation|fed|central bank|gdp|policy|regulat\w+|tariffs?|currency|the dollar|yuan|demand"
    r"|supply|(?:super)?cycle)\b"
    r"|市场|行业|板块|宏观|(?<![毛净])利率|通胀|央行|美联储|政策|监管|关税|汇率|需求|供给|周期"
    r"|(?<![\d万亿千百])(?<!\d )(?:人民币|美元)(?!\d)",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d|\b(?:doubled|tripled|quadrupled|halved)\b|百分之|翻倍|翻番|腰斩", re.IGNORECASE)
_SOURCED = re.compile(
    r"\b(?:according to|source|reported|announced|filing|filed|annual report|10-[kq]|per the)\b"
    r"|\b(?<!i )(?<!we )(?:said|says)\b"
    r"|根据|来源|财报|公告|年报|披露|公布|宣布|报道|据[^,，。]{1,12}(?:数据|统计|消息)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reading:
    """The material's statements, in its own order, each where its words put it; one may stand in several places."""

    evidence: tuple[Statement, ...]
    market: tuple[Statement, ...]
    against: tuple[Statement, ...]
    conditions: tuple[Statement, ...]
    questions: tuple[str, ...]
    stance: str  # the latest sentence that says what its person thinks
    asked: str  # what they ask for


def read(objective: Objective) -> Reading:
    """Read the objective's material: what was asked now, then what the thread held beside it."""
    sentences_said = said(objective.prompt)
    told = [one for one in sentences_said if not is_question(one.text) and not _REQUEST.search(one.text)]
    repeated = {normalize(one.text) for one in told}
    material = [*told, *(one for one in objective.thread if normalize(one.text) not in repeated)]
    return Reading(
        evidence=_those(material, lambda text: _is_evidence(text) and not _CONDITION.search(text)),
        market=_those(material, lambda text: _MARKET.search(text) and not _is_stance(text)),
        against=_those(material, lambda text: speaks_against(text) and not _CONDITION.search(text)),
        conditions=_those(material, _CONDITION.search),
        questions=tuple(one.text for one in sentences_said if is_question(one.text)),
        stance=next((one.text for one in reversed(told) if _is_stance(one.text)), ""),
        asked=next((one.text for one in sentences_said if one not in told), ""),
    )


def said(prompt: str) -> tuple[Statement, ...]:
    """What a prompt says, sentence by sentence, each with the time it speaks of."""
    return tuple(Statement(text, dated(text), (PROMPT,)) for text in sentences(prompt))


def known_of(prompt: str, as_of: datetime | None) -> str:
    """A prompt without the sentences that speak of a time after ``as_of``; as it is where none does."""
    known = known_then(said(prompt), as_of)
    return prompt if len(known) == len(said(prompt)) else "\n".join(one.text for one in known)


def sentences(text: str) -> list[str]:
    """The sentences and list entries of a text, without their bullets; what follows a request's colon is one more."""
    unmarked = (_BULLET.sub("", one).strip() for one in split_sentences(text))
    return [piece for one in filter(None, unmarked) for piece in _request_and_rest(one)]


def _request_and_rest(sentence: str) -> list[str]:
    return _WHAT_FOLLOWS.split(sentence, maxsplit=1) if _REQUEST.match(sentence) else [sentence]


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with a mark or without."""
    if _MARKED.search(sentence) or _ASKED_EN.search(sentence):
        return True
    return _ASKED_ZH.search(sentence) is not None and _NOT_ASKED_ZH.search(sentence) is None


def speaks_against(sentence: str) -> bool:
    """Whether a sentence names something unfavourable that it does not deny, or turns round without a good word."""
    if any(not _DENIED.search(sentence[: found.start()]) for found in _AGAINST.finditer(sentence)):
        return True
    turn = _TURNS.search(sentence)
    return turn is not None and _FOR.search(sentence, turn.end()) is None


def names_source(sentence: str) -> bool:
    """Whether a sentence says where it is from."""
    return _SOURCED.search(sentence) is not None


def _is_evidence(text: str) -> bool:
    return bool(_FIGURE.search(text) or names_source(text) or dated(text)) and not _is_stance(text)


def _is_stance(text: str) -> bool:
    """Whether a sentence says what its person thinks: not what somebody else is quoted with, nor what would end it."""
    if names_source(text) or _STANCE.search(text) is None:
        return False
    condition = _CONDITION.search(text)
    return condition is None or condition.start() > 0


def _those(material: Sequence[Statement], belongs: Callable[[str], object]) -> tuple[Statement, ...]:
    return tuple(one for one in material if belongs(one.text))
