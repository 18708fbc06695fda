"""The polarity of a sentence, for or against what it is about, and the side of a thesis; Chinese and English."""

from __future__ import annotations

import re
from typing import Final, Literal

from finclaw.brain.material.sentence_mood import condition_in

ThesisSide = Literal["for", "against", ""]

_TURNS: Final = re.compile(
    r"\b(?<!nothing )(?<!anything )(?:but|however|yet)\b|但是?(?!凡)|然而|不过(?!是)|可是", re.IGNORECASE
)
_AGAINST: Final = re.compile(
    r"\b(?:risks?(?!(?: |-)(?:rewards?|free|adjusted|appetite))|risky|concerns?|worry|worries|worried|threat\w*|weak\w*"
    r"|loss(?:es)?|losing|lost|overvalued|expensive|stretched|bear(?:s|ish)?|against|downside|pressure|headwinds?"
    r"|competition|competitors?|price wars?|miss(?:es|ed)|disappoint\w*|deteriorat\w+|dilut\w+|warn(?:s|ed|ing)"
    r"|refus(?:es|ed|al)|banned|delay(?:s|ed)?|halt(?:s|ed)|probe|lawsuits?|fraud|scandal|investigat(?:es|ed|ion)"
    r"|outflows?|worst|collaps\w+|drags? on|a drag|written off|write-?(?:off|down)s?|downgrad\w+|bubble|scepti\w+"
    r"|skepti\w+|doubts?"
    r"|cut(?:s|ting)? (?:\w+ ){0,2}(?:orders?|guidance|forecasts?|dividends?|jobs|output|prices))\b"
    r"|风险|担忧|担心|亏损|高估|过高|看空|利空|压力|竞争|威胁|疲软|走弱|恶化|不及预期|低于(?:预期|荣枯线|指引)"
    r"|价格战|减值"
    r"|流出|警告|约谈|处罚|罚款|暴跌|诉讼|调查(?=组)|造假|做假|拖累|泡沫|推迟|下调|库存(?:周期)?(?:拉长|积压|高企)"
    r"|加征",
    re.IGNORECASE,
)
_FALLS: Final = re.compile(
    r"\b(?:declin\w+|slow(?:s|ed|ing|down)?|fell|falls?|falling|drop\w*|slip(?:s|ped|ping)?|slid|shr(?:ink\w*|ank|unk)"
    r"|tumbl\w+|plung\w+)\b|下滑|下降|下跌|跌破|跌至|跌到|降至|降到|放缓|回落|走低|萎缩|收窄|下挫",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    r"\b(?:rose|rises?|rising|grew|grows?|growing|growth|gain(?:s|ed)?|improv\w+|beat|strong\w*|strength\w*|record"
    r"|expand\w*|increas\w+|accelerat\w+|up)\b"
    r"|增长|增加|上涨|上升|升破|回升|改善|提升|提高|扩大|加速|强劲|超预期|创[^，,。]{0,4}新高|稳健|看好|顺畅",
    re.IGNORECASE,
)
_BURDEN: Final = re.compile(  # burdens: bad news where they grow, good news where they fall
    r"\b(?:costs?|expenses?|spending|capex|capital expenditures?|debts?|leverage|liabilit\w+|inflation|unemployment"
    r"|inventor(?:y|ies)|tariffs?|(?:interest |policy |mortgage )rates?|rates|yields?|defaults?|delinquenc\w+"
    r"|short interest|volatility|vacanc(?:y|ies))\b"
    r"|成本|费用|支出|资本开支|负债|债务|杠杆|通胀|失业|库存|存货|关税|(?<![毛净])利率|收益率|违约|坏账|应收|波动|溢价",
    re.IGNORECASE,
)
_DEMANDED: Final = re.compile(  # growth that is needed has not happened
    r"\b(?:needs?|required?|to justify|would have to|question\w* whether)\b|才能"
    r"|需要[^，,。]{0,12}(?:增长|提高|提升)|质疑",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:no|not|never|without|less|isn't|aren't)(?: \w+)?\s$"
    r"|(?:没有?|并无|不存在|不再|不会|不是|[并尚]?未)\w{0,2}$|不$",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[,;，；。]")
_SIDES: Final = re.compile(
    r"\b(?P<for>bullish|overweight|optimistic|undervalued|constructive|positive)\b"
    r"|(?P<zh_for>看好|看多|看涨|乐观|低估|做多)"
    r"|\b(?P<against>bearish|underweight|pessimistic|overvalued|sceptical|skeptical|negative|cautious)\b"
    r"|(?P<zh_against>看空|看跌|看淡|悲观|高估|做空|谨慎)",
    re.IGNORECASE,
)
_SIDE_DENIED: Final = re.compile(
    r"\b(?:no longer|not|never|neither|\w+n't)(?: \w+)?\s$|(?:不再|并不|没有|不)$", re.IGNORECASE
)
_COMMA: Final = re.compile(r"[,，]")


def speaks_against(sentence: str) -> bool:
    """Whether a sentence names something unfavourable that it does not deny, or turns contrary without a favourable
    word.
    """
    named = any(_is_affirmed(sentence, found) for found in _AGAINST.finditer(sentence))
    if named or any(
        _is_affirmed(sentence, found) and not _is_falling_burden(sentence, found) for found in _FALLS.finditer(sentence)
    ):
        return True
    turn = _TURNS.search(sentence)
    return turn is not None and _FOR.search(sentence, turn.end()) is None


def speaks_for(sentence: str) -> bool:
    """Whether a sentence tells something favourable that it does not deny; not a growing burden, a requirement, a
    condition, or one with a contrary word.
    """
    if speaks_against(sentence) or condition_in(sentence) or _BURDEN.search(sentence) or _DEMANDED.search(sentence):
        return False
    return any(_is_affirmed(sentence, found) for found in _FOR.finditer(sentence))


def _is_affirmed(sentence: str, word: re.Match[str]) -> bool:
    return _DENIED.search(sentence[: word.start()]) is None


def _is_falling_burden(sentence: str, falls: re.Match[str]) -> bool:
    """Whether what falls is a burden."""
    before = _CLAUSE.split(sentence[: falls.start()])[-1]
    return _BURDEN.search(before) is not None


def side_of(thesis: str) -> ThesisSide:
    """The side a thesis takes in its own words, its invalidating condition aside; "" for none."""
    thesis = _without_condition(thesis)
    named = {_side_of_match(thesis, found) for found in _SIDES.finditer(thesis)}
    if len(named) == 1:
        return named.pop()
    if speaks_against(thesis):
        return "against"
    return "for" if speaks_for(thesis) else ""


def _without_condition(thesis: str) -> str:
    found = condition_in(thesis)
    if found is None:
        return thesis
    return thesis[: found.start()] if found.start() else _COMMA.split(thesis, maxsplit=1)[-1]


def _side_of_match(thesis: str, found: re.Match[str]) -> ThesisSide:
    is_for = bool(found["for"] or found["zh_for"])
    is_denied = _SIDE_DENIED.search(thesis[: found.start()]) is not None
    return "for" if is_for != is_denied else "against"
