"""The patterns of acting in Chinese, made of the lexicon's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from finclaw.brain.research.boundary.lexicon import Act, Chinese, either, words

AMOUNT: Final = (
    r"(?:[$€£¥]?\d|全部|所有|剩下|剩余|一半|半仓"
    r"|[一二两三四五六七八九十百千万几]+(?:股|手|个|张|枚|份|成|块|万|千|单)|我(?:的|手[里上中]))"
)
_QUANTITY: Final = (
    r"(?:\d[\d.,]*|[一二两三四五六七八九十百千万几半]+)[多百千万亿]?"
    r"(?:股|手|枚|块|元|美元|美金|刀|u(?![a-z])|usd[tc]?|btc|eth|sol|成|%|倍|万(?!字)"
    r"|个(?=btc|eth|sol|usd|比特|以太|币)|张(?=[^,]{0,8}(?:单|轮|call|put|期权|合约|票|债))|笔(?=[^,]{0,6}单))"
)
_LATIN_COMPOUND: Final = r"(?! ?(?:interest|squeeze|side|thesis|report|case|call|ratio|seller|rating|position size))"

_NOT_SPOKEN_OF: Final = r"(?![^,]{0,16}(?:的|是|会|将|可能|导致|使得|意味|有利|不利))"
_OPEN: Final = "[^,]"
_OF_ONE: Final = "(?:[^,把将]|将(?=来))"
"""What may stand behind 把 and 将: no other of them, with which the next begins."""


@dataclass(frozen=True)
class Patterns:
    """The first verb behind a request, an order at the start of a clause, and what tells that it was done."""

    verb: re.Pattern[str]
    order: re.Pattern[str]
    conditional: re.Pattern[str]
    trade: re.Pattern[str]
    alone: re.Pattern[str]
    sized: re.Pattern[str]
    claims: re.Pattern[str]


@cache
def patterns() -> Patterns:
    """Compiled once; the words do not change while we run."""
    lexicon = words().zh
    trade, taken, disposed, set_to = _trade(lexicon), _taken(lexicon), _disposed(lexicon), _set_to(lexicon)
    handled = "|".join(_handled(act, lexicon) for act in lexicon.handles)
    order = "|".join((rf"(?:{trade})[^,]{{0,10}}?,?\s*{AMOUNT}", taken, _precise(lexicon), set_to, _topic(lexicon)))
    return Patterns(
        verb=re.compile(
            rf"{taken}|(?P<research>(?:(?:把|将){_OF_ONE}{{1,20}}?)?(?:{either(lexicon.research)}))|{trade}|{disposed}|{handled}"
        ),
        order=re.compile(order),
        conditional=re.compile(rf"{trade}|{taken}|{handled}|{set_to}"),
        trade=re.compile(trade),
        alone=re.compile(rf"(?:{trade}|{disposed}|操作|执行|成交){{1,2}}[吧啊了它\W]*$"),
        sized=re.compile(rf"(?:全部|全仓|满仓|半仓|轻仓|重仓|清仓|一半)(?:{trade}){_NOT_SPOKEN_OF}"),
        claims=re.compile(_claims(lexicon)),
    )


def _trade(lexicon: Chinese) -> str:
    """A verb that is an order by itself, unless it is spoken of: 买入的理由, 卖方."""
    about = rf"(?![^,]{{0,16}}的(?:{either(lexicon.abstract)}))"
    errand = rf"(?![一两三几点些]?[杯瓶盒斤件双本张份个箱袋]?(?:{either(lexicon.everyday)})(?:吧|回来|回家)?(?:$|[\W]))"
    return rf"(?>{either(lexicon.trades)})(?!{either(lexicon.nominal)}){about}{errand}{_LATIN_COMPOUND}"


def _disposed(lexicon: Chinese) -> str:
    """A verb with its result: 卖掉, 清了."""
    return rf"(?>{either(lexicon.disposals)})(?!{either(lexicon.nominal)})"


def _taken(lexicon: Chinese) -> str:
    """Something taken up with 把, and what is to become of it."""
    moved = "|".join(_moved(act, lexicon) for act in _naming_things(lexicon))
    return rf"(?:把|将)(?!握|关|来)(?:{_OF_ONE}{{1,16}}?(?:{_disposed(lexicon)}|{_trade(lexicon)})|{moved})"


def _precise(lexicon: Chinese) -> str:
    """What is an order without a request: a handled thing, or everything at stake."""
    plunge = rf"(?:{either(lexicon.plunges)})(?!{either(lexicon.nominal)}){_NOT_SPOKEN_OF}"
    return "|".join((plunge, *(_handled(act, lexicon) for act in _naming_things(lexicon))))


def _naming_things(lexicon: Chinese) -> list[Act]:
    """The acts that are told by more than an amount."""
    return [act for act in lexicon.handles if act.needs != ("quantity",)]


def _topic(lexicon: Chinese) -> str:
    """What is acted upon comes first: 多单先平一半, 茅台出了吧, 英伟达来一百股."""
    disposed = _disposed(lexicon)
    return (
        rf"(?:{either(lexicon.things['holdings'])})[先再都全也]*(?:[平减清抛卖砍](?:{AMOUNT})|{disposed}$)"
        rf"|[^,]{{1,12}}?(?:{disposed}|[买卖抛清平出撤割][了掉]?)吧$|{_trade(lexicon)}吧$"
        rf"|[^,]{{0,8}}?[来整搞挂买]{_QUANTITY}"
    )


def _set_to(lexicon: Chinese) -> str:
    """A setting and what it is to be: 杠杆拉到10倍."""
    settings = either((*lexicon.things["leverage"], "止损", "止盈", "仓位"))
    return rf"(?:{settings})[^,]{{0,4}}?[调设改降提加减拉开][到为成至在]"


def _handled(act: Act, lexicon: Chinese) -> str:
    """The verb with its things behind it."""
    return rf"(?:{either(act.verbs)})(?![出入掉了仓]的)[掉了好]?[^,的]{{0,3}}?(?:{_things(act, lexicon)})"


def _moved(act: Act, lexicon: Chinese) -> str:
    """Behind 把: the thing with its verb behind it, or before it."""
    verbs, things, gap = either(act.verbs), _things(act, lexicon, _OF_ONE), _OF_ONE
    return rf"{gap}{{0,12}}?(?:{things}){gap}{{0,6}}?(?:{verbs})|{gap}{{1,14}}?(?:{verbs}){gap}{{0,6}}?(?:{things})"


def _things(act: Act, lexicon: Chinese, gap: str = _OPEN) -> str:
    return "|".join(_QUANTITY if kind == "quantity" else _thing(kind, lexicon, gap) for kind in act.needs)


def _thing(kind: str, lexicon: Chinese, gap: str) -> str:
    whose = rf"[我你]{gap}{{0,14}}?" if kind == "access" else rf"{gap}{{0,12}}?"
    about = rf"(?!{either(lexicon.nominal)})(?![^,]{{0,10}}的(?:{either(lexicon.abstract)}))"
    return rf"{whose}(?:{either(lexicon.things[kind])}){about}"


def _claims(lexicon: Chinese) -> str:
    orders = either((*lexicon.things["orders"], *lexicon.things["holdings"], "资金", "款项", "余额"))
    done = (
        r"(?:被|全部)?(?:提交|成交|执行|下达|撤销|撤回|取消|签署|平掉|平仓|卖出|买入|清空|挂出|挂好|关闭"
        r"|转入|转出|划转|汇出|调整|调到|上移|下移)"
    )
    return (
        rf"(?:{orders}|交易)(?:已经?|将)(?:为|帮|替)[您你]"
        rf"|[您你]的[^,]{{0,8}}?(?:{orders})(?:已经?|将|正在){done}"
        r"|(?<![家行司业方])(?:杠杆|止损|止盈)(?:倍数|位)?已经?(?:设为|设置为|设在|调到|调整为|调至)"
        rf"|已经?按照?[您你]的[^,]{{0,6}}?{done}"
        r"|(?:^|,)(?:下单|委托|撤单|平仓|转账|买入|卖出)成功(?!率|的|后|与|概)"
        r"|(?:告诉|回复|跟)我[^,]{0,4}已经?(?:成交|下单|买入|卖出|平仓|执行)(?![的吗])"
    )
