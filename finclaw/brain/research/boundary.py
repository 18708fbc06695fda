"""FinClaw advises and never executes (B-11): what asks it to act, or carries what acting needs, is refused.

By the words alone, Chinese and English: who asks, what is remembered of them and how they like to be answered play no
part, and everybody gets the same answer. Asking whether, telling that one did or means to, and evidence of what others
did are no requests.
"""
# ruff: noqa: E501 - a pattern and what it means are read together

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from django.conf import settings

from finclaw.brain.sanitization.services import folded
from foundation.exceptions import FinClawError
from foundation.text import normalize, split_sentences


class BoundaryRefused(FinClawError):
    """Nothing about the request stands in it: the same words for everyone (seed A §7.2, §7.4)."""

    code = "boundary_refused"
    default_message = (
        "FinClaw informs and advises; it never places, signs or routes an order. Nothing was done. Ask what you would"
        " like to weigh instead."
    )


def refuse_execution(text: str) -> None:
    """Raise ``BoundaryRefused`` for a text that asks to act, or tells that it was done: before the model and after."""
    if asks_to_execute(text):
        raise BoundaryRefused()


def refuse_fields(payload: Any) -> None:
    """Raise ``BoundaryRefused`` for a value that carries a forbidden field, as a key at any depth or in its texts.

    The fields are the setting FORBIDDEN_EXECUTION_FIELDS: one joined by ``+`` is forbidden only where all of its names
    stand together. In a text a name counts where a value follows it, ``limit_price: 50``; a single word of English is
    also a word of analysis there (``Leverage: 3x``), and counts as a key alone.
    """
    for keys in _keys(payload):
        if any(names <= keys for names in _forbidden()):
            raise BoundaryRefused()


def asks_to_execute(text: str) -> bool:
    """Whether a text asks for an order, a signature, a transfer or the like, or claims to have brought one about."""
    return any(_asks_or_claims(one) or _orders(one) for one in map(_spelled, split_sentences(text)))


def _spelled(sentence: str) -> str:
    return folded(sentence).replace("’", "'")


def _asks_or_claims(sentence: str) -> bool:
    """Whether a sentence asks its reader to act, be it as a question, or tells them that it was done for them."""
    if _ASKED_OR_DONE_EN.search(sentence):
        return True
    return any(not found["denied"] for found in _ASKED_OR_DONE_ZH.finditer(sentence))


def _orders(sentence: str) -> bool:
    """Whether a sentence that is no question gives an order in so many words."""
    if _QUESTION.search(sentence):
        return False
    return any(map(_ORDER_EN.match, _clauses(sentence))) or any(map(_is_order_zh, _pieces(sentence)))


def _clauses(sentence: str) -> Iterator[str]:
    """Where an English order may begin: the sentence, what follows its condition, and what follows another request."""
    yield sentence
    if condition := _CONDITION_EN.match(sentence):
        yield sentence[condition.end() :]
    if _REQUEST_EN.match(sentence):
        yield from _AND_EN.split(sentence)[1:]


def _pieces(sentence: str) -> list[str]:
    """A Chinese sentence between its commas, amounts left with what they belong to; none where its person tells what
    they did or mean to do.
    """
    return [] if _TELLS_ZH.search(sentence) else [one.strip() for one in _PIECE_ZH.split(sentence)]


def _is_order_zh(piece: str) -> bool:
    return _ORDER_ZH.match(piece) is not None and _WEIGHS_ZH.search(piece) is None


def _keys(payload: Any) -> Iterator[frozenset[str]]:
    """The names that stand together: the keys of each mapping, and in each text those that a value follows."""
    if isinstance(payload, Mapping):
        yield frozenset(_name(key) for key in payload)
        yield from (keys for value in payload.values() for keys in _keys(value))
    elif isinstance(payload, str):
        yield frozenset(_name(found["name"]) for found in _named_values().finditer(normalize(payload)))
    elif isinstance(payload, Iterable):
        yield from (keys for value in payload for keys in _keys(value))


def _name(key: object) -> str:
    """``limitPrice``, ``Limit Price`` and ``limit-price`` are ``limit_price``."""
    return re.sub(r"[\s_-]+", "_", normalize(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(key))).strip())


def _forbidden() -> list[frozenset[str]]:
    return [frozenset(map(_name, entry.split("+"))) for entry in settings.FORBIDDEN_EXECUTION_FIELDS]


def _named_values() -> re.Pattern[str]:
    names = sorted({name for names in _forbidden() for name in names if "_" in name or not name.isascii()})
    return _pattern_of(tuple(names))


@cache
def _pattern_of(names: tuple[str, ...]) -> re.Pattern[str]:
    spelled = "|".join(re.escape(name).replace("_", r"[\s_-]?") for name in names) or r"(?!)"
    return re.compile(rf"(?<![a-z0-9])(?P<name>{spelled})[\"'”]?\s*(?:[:=]|为(?=[\"'\d]))\s*[\"'“]?[\w$€£¥]")


# --- English ---------------------------------------------------------------------------------------------------------
_AMOUNT = r"(?:[$€£¥]\s?\d|\d[\d,.]*|(?:one|two|three|four|five|six|ten|a hundred|a thousand|a few)\b)"
_COIN = r"(?:usd[tc]?|dollars?|euros?|btc|eth|sol|bnb|xrp|bitcoins?|ether|coins?|tokens?|shares?|stocks?)\b"
_THINGS = r"(?:(?<!in )orders?(?! of (?!\d))|trades?|transactions?)\b"
_NOT_A_NOUN = (
    r"(?![- ](?:side|orders?|ratings?|signals?|recommendations?|pressure|calls?|volumes?|offs?|backs?|in may)\b)"
)
_TRADE = rf"(?:buy|sell|purchase|dump|acquire){_NOT_A_NOUN}"
_AT_ONCE = r"(?:for me|on my behalf|right now|now|immediately|today|asap|at (?:the )?(?:market|open|close)|at \W?\d)"
_ACT_EN = "|".join(
    (
        rf"(?:place|submit|enter|put in|put through|execute|route|cancel|modify|amend|confirm) (?:[\w'$.-]+ ){{0,4}}{_THINGS}",
        r"place (?:an? |my )?(?:buy|sell) (?:stop|limit)s?\b",
        rf"(?:make|do|change|replace|send|sign) (?:the|this|that|my|an?) (?:buy |sell |limit |market )?{_THINGS}",
        rf"{_TRADE} (?:me |us )?(?:{_AMOUNT}|(?:all|half|everything|some|my|the rest|it|them)\b)",
        rf"{_TRADE} [^;.?!]{{1,40}}? {_AT_ONCE}",
        rf"(?:get|grab|trade) (?:me )?{_AMOUNT}[\d,.]* (?:shares?|contracts?|lots?|units?|of|{_COIN})",
        rf"(?:put|invest|allocate) (?:[$€£¥]\s?\d[\d,.]*|{_AMOUNT}[\d,.]* {_COIN}|(?:all )?my (?:money|cash|savings))[^;.?!]{{0,20}} in(?:to)?\b",
        rf"add {_AMOUNT}[^,;.?!]{{0,30}} to my\b|pull the trigger\b",
        r"(?:trim|cut|double|halve|reduce|increase|raise|lower|hedge) my (?:[\w-]+ ){0,3}(?:positions?|holdings?|stake|leverage|margin)\b",
        r"(?:roll|exercise|assign) my (?:[\w-]+ ){0,2}(?:options?|calls?|puts?|contracts?|warrants?)\b",
        rf"short {_AMOUNT}[\d,.]* (?:shares?|contracts?|lots?|of)\b",
        rf"go (?:long|short) (?:on )?(?:{_AMOUNT}|[^,;.?!]{{1,30}}? {_AT_ONCE})",
        r"close (?:the|my) (?:long|short)\b|flatten my\b|(?:put|place|enter) (?:in )?an? (?:bid|offer)\b|(?:start|set up) an? (?:[\w-]+ ){0,2}(?:buy|purchase)\b",
        rf"place (?:an? )?(?:bids|offers)\b|bid \W?{_AMOUNT}[\d,.]* for {_AMOUNT}|take profits? (?:on|in) my\b",
        r"(?:open|enter) (?:an?|my|the) (?:[\w.%]+ ){0,2}(?:long|short|position)\b",
        r"close (?:out )?(?:of )?(?:all|my|the)\b (?:[\w'-]+ ){0,4}positions?\b",
        r"(?:liquidate|unwind|rebalance|exit) (?:all|my)\b",
        r"set (?:up )?(?:the |my |an? )?(?:[\w-]+ )?(?:leverage|stop[- ]loss|take[- ]profit|trailing stop|limit order)\b",
        rf"(?:sign|broadcast)(?: and (?:sign|broadcast|send))? (?:the|this|that|my|an?) (?:[\w'-]+ ){{0,2}}{_THINGS}",
        r"(?:approve|authori[sz]e) (?:the|this|my|an?) (?:[\w'-]+ ){0,3}(?:allowance|spending|contract|transaction|transfer|payment|withdrawal)\b",
        rf"(?:transfer|withdraw|wire|deposit) (?:all |the |my )*(?:{_AMOUNT}|(?:money|funds|cash|balance|proceeds)\b)",
        rf"(?:send|move) (?:{_AMOUNT}[\d,.]* {_COIN}|[$€£¥]\s?\d|(?:all |the |my )*(?:money|funds|cash|balance)\b)",
        rf"(?:swap|convert|exchange|bridge|stake) (?:{_AMOUNT}[\d,.]* {_COIN}|(?:all )?my\b)",
        r"(?:log|sign) ?in ?to my\b",
        r"(?:use|take) my (?:[\w-]+ ){0,2}(?:keys?|wallet|credentials|account) (?:to|and)\b",
        r"connect (?:to )?my (?:[\w-]+ ){0,3}(?:account|wallet|broker|exchange)\b",
    )
)
_LEAD_EN = (
    r"(?:(?:please|kindly|now|ok|okay|yes|just|then|so|also|first|next|finally|hey|finclaw|go ahead(?: and)?"
    r"|you should(?: now)?|let'?s|let us|do this|order|instruction|execute(?=:))\b[\s,:]*)*"
)
_ORDER_EN: Final = re.compile(rf"\W*{_LEAD_EN}(?:{_ACT_EN})")
_DONE = (
    r"(?:plac|submitt|submit|execut|fill|rout|sign|cancell?|transferr|transfer)(?:e|ed)?|bought|buy|sold|sell|sent|send"
)
_ASKED_OR_DONE_EN: Final = re.compile(
    rf"\b(?:(?:can|could|will) you(?: please| kindly| now| just)*|would you (?:please|kindly)|please|go ahead and|help me(?: to)?"
    rf"|i(?:'d| would) like you to|i (?:want|need) you to) (?:now |just |also )?(?:{_ACT_EN})"
    rf"|\byour (?:[\w-]+ ){{0,3}}{_THINGS} (?:has|have|was|were|is|are|will be)(?: been| now| being)* (?:{_DONE})\b"
    rf"|\bi(?:'ve| have|'ll| will)?(?: now| just)? (?:{_DONE})\b[^.;?!]{{0,60}}\b(?:your (?:[\w-]+ ){{0,3}}"
    rf"(?:orders?|trades?|shares?|positions?|transactions?)|for you|on your behalf)\b"
)
_CONDITION_EN: Final = re.compile(r"(?:if|when|whenever|once|after|as soon as|in case|should)\b[^,]*,\s*(?:then )?")
_REQUEST_EN: Final = re.compile(
    rf"\W*{_LEAD_EN}(?:check|analy[sz]e|review|assess|research|look|study|read|run|do)\b(?!.*\b(?:whether|if (?!it|that|this)|how|why)\b)"
)
_AND_EN: Final = re.compile(r",? ?\b(?:and then|then|and)(?: (?:if|once) (?:it|that|this) \w+,?)? ")

# --- Chinese, folded to simplified characters and half-width marks ------------------------------------------------------
_AMOUNT_ZH = r"(?:\d|全部|所有|剩下|剩余|一半|半仓|[一二两三四五六七八九十百千万几]+(?:股|手|个|张|枚|份|成)|我(?:的|手[里上中]))"
_ORDERS_ZH = r"(?:订单|委托单?|限价单|市价单|止损单|止盈单|买单|卖单|挂单|多单|空单)"
_NO_NOUN_ZH = r"(?!的|前|后|之前|之后|时|是|与否|还是|或|和|、|以及|理由|逻辑|计划|策略|风险|成本|信号|评级|建议|条件|清单|流程|步骤|手续|费|价位|点位|方案)"
_ACT_ZH = (
    r"(?:下单|买入|买进|购买|买(?!方|家|盘|卖|断)|卖出|卖掉|卖(?!方|家|盘|点)|抛掉|平仓|平掉|清仓|建仓|加仓|减仓|补仓|开仓|开多|开空|做多|做空|挂单|定投|赎回|申购|追加保证金|止[盈损](?!位|点|价|线|怎|设)|(?:加|调[高低整])杠杆"
    rf"|撤单|签名|转账|转出|划转|提现|充值|汇款|质押|抄底|兑换|换成|转[到给入进][^,。;]{{0,6}}(?:券商|账户|钱包|交易所|银行|地址|0x)|(?:下|挂|开|设(?:置|定)?|撤[掉销]?|取消|修改|提交|执行)[^,。;]{{0,14}}?{_ORDERS_ZH}"
    r"|(?:提交|执行|签署|广播|撤销|取消)[^,。;]{0,4}?(?:交易|下单)|设[^,。;]{0,4}(?:止损|止盈|杠杆)"
    rf"){_NO_NOUN_ZH}"
)
_ADVERBS_ZH = r"(?:现在就?|马上|立刻|立即|直接|赶紧|尽快|操作|一下|先|再|就|也|市价|限价)*+"
_MANNER_ZH = (
    rf"{_ADVERBS_ZH}(?:(?:把|将)(?!握|关|来)[^,。;]{{1,16}}?)?{_ADVERBS_ZH}(?:[按以用][^,。;]{{1,12}}?)?{_ADVERBS_ZH}"
)
_ASKED_OR_DONE_ZH: Final = re.compile(
    r"(?P<denied>(?:(?<!要)不要|别|不用|无需|勿|不必|(?<!能)不能|无法|不得|不会|禁止|不准|不许)[^,。;]{0,3})?"
    r"(?:帮[我您你]|帮忙|替[我您你]|给我|(?<![认以因作成])为[我您你]|代[我您你]|你来|授权你|我(?:要|需要|想让)你|(?<!申)请[你您]?|麻烦你?)"
    rf"(?:{_MANNER_ZH}{_ACT_ZH}|[^,。;]{{0,4}}把[^,。;]{{0,6}}(?:仓位|持仓|杠杆)[^,。;]{{0,4}}[到至成为]"
    r"|[^,。;]{0,4}把[^,。;]{1,10}提到[^,。;]{0,4}(?:钱包|账户|银行卡))"
    r"|(?:订单|委托|交易)(?:已经?|将)(?:为|帮|替)[您你]|[您你]的(?:订单|委托|交易)(?:已经?|将|正在)(?:被)?(?:提交|成交|执行|下达|撤销|签署)"
)
_LEAD_ZH = r"(?:(?:然后|接着|最后|并|同时|再|先|就|那就|好的?|现在就?|马上|立刻|立即|直接|赶紧),?)*+"
_ORDER_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:(?:如果|若|一旦|等|跌破|跌到|涨破|涨到|突破|回到)[^,]{{0,14}}?就)?(?:"
    rf"(?:(?:[按以]|限价|市价)[^,]{{0,14}}?)?(?:买入|买进|买|卖出|卖|加仓|减仓|开多|开空|做多|做空|抛售|卖掉|抛掉)(?:[^,]{{1,10}},\s*)?{_AMOUNT_ZH}"
    r"|(?<=[即刻就接紧上在])(?:清仓|平仓|建仓|加仓|减仓|下单|买入|卖出)"
    r"|(?:清掉|平掉|卖掉|抛掉)(?:我的|全部|所有)"
    r"|(?:全部|全都|统统)(?:卖出|卖掉|清仓|平仓|买入)吧?$"
    rf"|把[^,]{{1,20}}?(?:卖了|卖掉|卖出|清仓|平掉|平仓|清掉|抛了|抛掉|转到|转给|划转|换成|提现|质押){_NO_NOUN_ZH}"
    r"|把[^,]{0,8}(?:杠杆|仓位|止损|止盈)[^,]{0,6}?[调设改降提加减拉开][到为成至在]"
    rf"|(?:设置?|设定|挂|下)[^,]{{0,12}}?{_ORDERS_ZH}|挂单|下单(?:买|卖|$)"
    rf"|(?:撤掉|撤销|取消|修改|更改|提交|执行)[^,]{{0,10}}?(?:{_ORDERS_ZH}|下单)"
    r"|(?:撤销|取消|提交|执行)[这该此那]?笔?交易(?!量|策略|额|所|日|者|员|对|成本)"
    r"|签署[^,]{0,3}交易|用我的[^,]{1,10}(?:签名|卖|买|下单|转)|授权[^,]{1,20}使用我的"
    r"|从我的[^,]{1,10}(?:转出|提现|转账|划转)|转账[^,]{0,10}到|(?:登[录陆]|连接)到?我的[^,]{1,12}(?:账户|账号|交易所|钱包|券商)"
    r")"
)
_PIECE_ZH: Final = re.compile(rf"[;:。!—]|,(?!\s*{_AMOUNT_ZH})")
_WEIGHS_ZH: Final = re.compile(
    r"是否|应该|该不该|要不要|怎[么样]|如何|什么|为何|多少|哪|可以|能否|值得|合适|风险|理由|成本|收益|还是|的(?:计划|报告|证据|影响)|会(?:导致|不会)"
)
_TELLS_ZH: Final = re.compile(
    r"我们?(?:会|想(?!让你)|将|要(?!你)|打算|准备|计划|考虑|可能|已|昨|上|刚|曾|之前|以前|正在|若|如果)"
)
_QUESTION: Final = re.compile(r"\?\W*$|[吗呢么]\W*$")
