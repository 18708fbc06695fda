"""Whether a Chinese sentence asks its reader to act, or claims to have acted for them.

Read clause by clause in simplified characters. A request (帮我, 请, 授权你) asks for the first verb behind it:
to act, or to look into something. Without a request, a clause is an order where it begins with the verb,
or with 把 and an object, and names nobody else.
"""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.boundary.chinese_patterns import AMOUNT, ChinesePatterns, chinese_patterns
from foundation.text.script import CJK_RANGES

_CHINESE: Final = re.compile(rf"[{CJK_RANGES}]")
_SAID_OF: Final = re.compile(r"^[^,]{0,14}?(?:是|会|将|可能|导致|使得|意味|有利|不利)")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LONGEST_ORDER: Final = 60
_READ_BACK: Final = 12
_DENIES: Final = re.compile(r"不要|别|不用|无需|勿|不必|不得|不准|不许")
_DENIED: Final = re.compile(
    r"(?:(?<!要)不要|别|不用|无需|勿|不必|(?<!能)不能|无法|不得|不会|禁止|不准|不许|不想|没有?|不需要)[^,。;]{0,3}$"
)
_TOLD: Final = re.compile(
    r"(?:我们?(?:昨|上|刚|已|曾|之前|以前|当[时初])"
    r"|(?<![让叫知系找])(?:他|她|们|经理|顾问|朋友|券商|银行|老婆|老公|爸|妈|同事|家人|平台))[^,]{0,6}$"
)
_REQUEST: Final = re.compile(
    r"(?:帮|替|代|给)(?:[我俺咱您你窝偶]们?|忙)|帮忙|(?<![认以因作成])为[我您你]|代我|拜托[你您]?"
    r"|(?:联系|通知|让|叫|找|告诉)我?的?(?:经纪人?|券商|客户经理|交易所|银行)|劳烦你?|麻烦[你您]?"
    r"|(?:授权|委托)[你您]|(?<!申)请(?![问示求])[你您]?"
    r"|我(?:要|需要|想让|想要|希望|让|叫)[你您]|[你您](?:来|去|直接|就|现在|马上|立刻)"
)
_CLAUSE: Final = re.compile(r"[,;:。!?…—]")
_PIECE: Final = re.compile(rf"[;:。!—]|,(?!\s*{AMOUNT})")
_URGENT: Final = re.compile(
    r"^[^,]{0,12}?(?:现在|马上|立刻|立即|直接|赶紧|赶快|尽快|全仓|满仓|每[个周月日天年季]|自动|明天|今天|开盘"
    r"|以\s?\d[\d.]*\s?(?:元|块))"
)
_QUESTION: Final = re.compile(
    r"\?\W{0,20}$|[吗呢么]\W*$|是否|应该|该不该|要不要|怎[么样]|如何|什么|为何|多少|哪|能否|值得|合适|合理|还是"
    r"|是不是|会(?:导致|不会)|(?<!尽)可[能以]"
)
_TELLS: Final = re.compile(
    r"我们?(?:会|想(?![让要][你您])|将|要(?![你您])|打算|准备|计划|考虑|可能|已|昨|上|刚|曾|之前|以前|正在|若|如果"
    r"|一般|通常|总是?|经常|当时|当初|最近|把|每)"
)
_SUPPOSES: Final = re.compile(r"假[设如]|倘若|回测|模拟|推演|如果我|若我|要是我")
_CONDITION: Final = re.compile(
    r"(?:如果|若|要是|一旦|等|只要|万一|当)?[^,;]{0,14}?(?:跌|涨|破|到|至|出来|落地|[之以]?后|突破|触及|达到|站上"
    r"|失守|击穿|反弹|低于|高于|超过)[^,;]{0,8}?(?:就|便|则|时|(?=自动|止[损盈]|[买卖清平减加]))"
)
_LEAD: Final = (
    r"(?:然后|接着|最后|并|同时|再|先|就|那|也|好的?|现在|今天|明天|今晚|明早|马上|立刻|立即|直接|赶紧|赶快|快|尽快"
    r"|自动|一律|全[部都]|全(?=[卖买抛清平出])|都|统统|一下"
    r"|[下这本]?(?:周|星期|礼拜)[一二三四五六日天]|(?:美股|港股|a股)?一?开盘(?:就|后|时)?|收盘前?|尾盘|盘中|盘前"
    r"|集合竞价|每(?:个?[周月日天年季]|周|星期)[一二三四五六日天\d末初底]*[号日]?|定期(?!定额)"
    r"|(?:分析|研究|评估|看)完(?:了|之?后)?|快跑|去|确认|同意|批准|行|老铁|[吧啊!])*+"
)
_BY: Final = (
    r"(?:(?:[按以用](?!我)|从|拿|往|给|限价|市价|在(?=[\d每])|(?=\d[\d.]*\s?(?:元|块|港元|美元|刀)))[^,]{0,14}?"
    r"(?=(?!建议)[买卖加减建开调赎借转下平清抛打充申扣设挂直操]))?"
)
_PREFIX: Final = re.compile(_LEAD + _BY + _LEAD)


def asks_or_claims(sentence: str) -> bool:
    """Whether a folded sentence asks to act or claims to have acted. Linear in its length."""
    if not _CHINESE.search(sentence):
        return False
    shapes, sentence = chinese_patterns(), _THOUSANDS.sub("", sentence)
    if shapes.claims.search(sentence) or any(_has_request(clause, shapes) for clause in _CLAUSE.split(sentence)):
        return True
    return _has_order(sentence, shapes)


def _has_request(clause: str, shapes: ChinesePatterns) -> bool:
    """Whether one of the clause's requests governs a verb of acting, and is neither past nor somebody else's."""
    governing = None
    for asked in _REQUEST.finditer(clause):
        if governing is None or governing.start() < asked.end():
            governing = shapes.verb.search(clause, asked.end())
        if governing is None:
            return False
        if _is_governed(asked, governing) and governing["research"] is None and not _is_no_request(clause, asked):
            return True
    return False


def _is_governed(asked: re.Match[str], governing: re.Match[str]) -> bool:
    """Whether the verb is near enough behind the request to be what is requested."""
    return governing.start() - asked.end() <= _LONGEST_ORDER


def _is_no_request(clause: str, asked: re.Match[str]) -> bool:
    """Whether the request is denied, before or behind it, or tells what somebody did for the user."""
    if _DENIES.match(clause, asked.end()):
        return True
    before = clause[max(0, asked.start() - _READ_BACK) : asked.start()]
    is_of_the_reader = asked.group()[-1] in "您你"
    return _DENIED.search(before) is not None or (not is_of_the_reader and _TOLD.search(before) is not None)


def _has_order(sentence: str, shapes: ChinesePatterns) -> bool:
    """Whether a clause without a request is an order, before the user tells what they did or plan."""
    if _QUESTION.search(sentence) or _SUPPOSES.search(sentence):
        return False
    urged = sentence.endswith("!")
    for clause in map(str.strip, _PIECE.split(sentence)):
        if _TELLS.search(clause):
            return False
        if _is_order(clause, shapes, urged=urged) and not _asks_for_research(clause, shapes):
            return True
        urged = urged or _PREFIX.fullmatch(clause) is not None
    return any(shape.match(sentence) for shape in (shapes.alone, shapes.sized))


def _asks_for_research(clause: str, shapes: ChinesePatterns) -> bool:
    asked = _REQUEST.search(clause)
    return asked is not None and _asks_to_look_into(clause[asked.end() : asked.end() + _LONGEST_ORDER], shapes)


def _is_order(clause: str, shapes: ChinesePatterns, *, urged: bool) -> bool:
    """Whether a clause begins with an order, ignoring particles before it; ``urged`` for a clause that stands alone."""
    condition = _CONDITION.match(clause)
    if condition and _asks_to_look_into(condition.group(), shapes):
        return False
    begun = clause[condition.end() if condition else 0 :]
    prefix = _PREFIX.match(begun)
    order = begun[prefix.end() if prefix else 0 :][:_LONGEST_ORDER]
    if condition and shapes.conditional.match(order):
        return True
    if _URGENT.search(clause) and shapes.trade.match(order) and not _SAID_OF.search(order):
        return True
    if (urged or order != clause) and shapes.alone.match(order):
        return True
    return shapes.order.match(order) is not None


def _asks_to_look_into(text: str, shapes: ChinesePatterns) -> bool:
    governing = shapes.verb.search(text)
    return governing is not None and governing["research"] is not None
