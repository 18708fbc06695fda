"""Patterns of requests to act in Chinese, compiled from the lexicon."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from finclaw.brain.boundary.lexicon import ActWords, ChineseWords, any_of, chinese_words
from foundation.compiled_patterns import compile_pattern
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "patterns")

AMOUNT: Final = _WORDS.of("zh").phrase("amount")
_QUANTITY: Final = _WORDS.of("zh").phrase("quantity")
_COUNTED: Final = _WORDS.of("zh").phrase("counted")
_LATIN_COMPOUND: Final = r"(?! ?(?:interest|squeeze|side|thesis|report|case|call|ratio|seller|rating|position size))"

_NOT_SPOKEN_OF: Final = _WORDS.of("zh").phrase("not_spoken_of")
_TAKEN: Final = ("把", "将")
_DONE: Final = ("操作", "执行", "成交")
_OPEN: Final = "[^,]"
_OF_ONE: Final = _WORDS.of("zh").phrase("of_one")
"""What may stand behind 把 and 将, up to the next of them, with which another object begins."""


@dataclass(frozen=True)
class ChinesePatterns:
    """Patterns for the first verb behind a request, an order at the start of a clause, and a claim to have acted."""

    verb: re.Pattern[str]
    order: re.Pattern[str]
    conditional: re.Pattern[str]
    trade: re.Pattern[str]
    alone: re.Pattern[str]
    sized: re.Pattern[str]
    claims: re.Pattern[str]
    topic: re.Pattern[str]
    signs: tuple[re.Pattern[str], ...]
    """One of these stands in every order and behind every request to act; each begins with a set of characters, by
    which a text is searched fast.
    """
    first_characters: frozenset[str]
    """Every order begins with one of these, unless it names its object first (``topic``)."""


@cache
def chinese_patterns() -> ChinesePatterns:
    """The compiled patterns, made once."""
    lexicon = chinese_words()
    trade, taken, disposed, set_to = (
        _trade_verb(lexicon),
        _object_before_verb(lexicon),
        _verb_with_result(lexicon),
        _setting_change(lexicon),
    )
    handled = "|".join(_verb_then_thing(act, lexicon) for act in lexicon.handles)
    order = "|".join(
        (rf"(?:{trade})[^,]{{0,10}}?,?\s*{AMOUNT}", taken, _unrequested_order(lexicon), set_to, _holding_first(lexicon))
    )
    return ChinesePatterns(
        verb=compile_pattern(
            rf"{taken}|(?P<research>(?:(?:把|将){_OF_ONE}{{1,20}}?)?(?:{any_of(lexicon.research)}))|{trade}"
            rf"|{disposed}|{handled}"
        ),
        order=compile_pattern(order),
        conditional=compile_pattern(rf"{trade}|{taken}|{handled}|{set_to}"),
        trade=compile_pattern(trade),
        alone=compile_pattern(rf"(?:{trade}|{disposed}|{'|'.join(_DONE)}){{1,2}}[吧啊了它\W]*$"),
        sized=compile_pattern(rf"(?:全部|全仓|满仓|半仓|轻仓|重仓|清仓|一半)(?:{trade}){_NOT_SPOKEN_OF}"),
        claims=compile_pattern(_claimed_acts(lexicon)),
        topic=compile_pattern(_topic_first(lexicon)),
        signs=tuple(map(compile_pattern, _signs(lexicon))),
        first_characters=_first_characters(lexicon),
    )


def _signs(lexicon: ChineseWords) -> tuple[str, str, str]:
    """A verb that acts by itself, a thing that one acts upon, or a quantity of them."""
    things = (thing for act in lexicon.handles for kind in act.needs for thing in lexicon.things.get(kind, ()))
    words = {*lexicon.trades, *lexicon.plunges, *lexicon.disposals, *things, *_settings(lexicon), *_DONE}
    shortest = sorted(word for word in words if not any(other in word for other in words if other != word))
    single = "".join(word for word in shortest if len(word) == 1)
    return f"[{single}吧]", any_of(word for word in shortest if len(word) > 1), _COUNTED


def _first_characters(lexicon: ChineseWords) -> frozenset[str]:
    verbs = (verb for act in lexicon.handles for verb in act.verbs)
    begun = (*lexicon.trades, *lexicon.plunges, *lexicon.disposals, *lexicon.things["holdings"], *_settings(lexicon))
    return frozenset(word[0] for word in (*begun, *verbs, *_TAKEN, *_DONE))


def _trade_verb(lexicon: ChineseWords) -> str:
    """A verb that is an order by itself, unless it is used as a noun: 买入的理由, 卖方."""
    about = rf"(?![^,]{{0,16}}的(?:{any_of(lexicon.abstract)}))"
    errand = rf"(?![一两三几点些]?[杯瓶盒斤件双本张份个箱袋]?(?:{any_of(lexicon.everyday)})(?:吧|回来|回家)?(?:$|[\W]))"
    return rf"(?>{any_of(lexicon.trades)})(?!{any_of(lexicon.nominal)}){about}{errand}{_LATIN_COMPOUND}"


def _verb_with_result(lexicon: ChineseWords) -> str:
    """A verb with its result: 卖掉, 清了."""
    return rf"(?>{any_of(lexicon.disposals)})(?!{any_of(lexicon.nominal)})"


def _object_before_verb(lexicon: ChineseWords) -> str:
    """An object taken up with 把, and what is to be done with it."""
    moved = "|".join(_thing_behind_ba(act, lexicon) for act in _acts_with_things(lexicon))
    sold = rf"{_OF_ONE}{{1,16}}?(?:{_verb_with_result(lexicon)}|{_trade_verb(lexicon)})"
    return rf"(?:{'|'.join(_TAKEN)})(?!握|关|来)(?:{sold}|{moved})"


def _unrequested_order(lexicon: ChineseWords) -> str:
    """An order without a request: a handled object, or everything at stake."""
    plunge = rf"(?:{any_of(lexicon.plunges)})(?!{any_of(lexicon.nominal)}){_NOT_SPOKEN_OF}"
    return "|".join((plunge, *(_verb_then_thing(act, lexicon) for act in _acts_with_things(lexicon))))


def _acts_with_things(lexicon: ChineseWords) -> list[ActWords]:
    """The acts that need more than an amount."""
    return [act for act in lexicon.handles if act.needs != ("quantity",)]


def _holding_first(lexicon: ChineseWords) -> str:
    """The holding comes first, before its verb: 多单先平一半."""
    return (
        rf"(?:{any_of(lexicon.things['holdings'])})[先再都全也]*"
        rf"(?:[平减清抛卖砍](?:{AMOUNT})|{_verb_with_result(lexicon)}$)|{_trade_verb(lexicon)}吧$"
    )


def _topic_first(lexicon: ChineseWords) -> str:
    """Some object comes first: 茅台出了吧, 英伟达来一百股."""
    return (
        rf"[^,]{{1,12}}?(?:{_verb_with_result(lexicon)}|[买卖抛清平出撤割][了掉]?)吧$"
        rf"|[^,]{{0,8}}?[来整搞挂买]{_QUANTITY}"
    )


def _setting_change(lexicon: ChineseWords) -> str:
    """A setting and its new value: 杠杆拉到10倍."""
    return rf"(?:{any_of(_settings(lexicon))})[^,]{{0,4}}?[调设改降提加减拉开][到为成至在]"


def _settings(lexicon: ChineseWords) -> tuple[str, ...]:
    return (*lexicon.things["leverage"], "止损", "止盈", "仓位")


def _verb_then_thing(act: ActWords, lexicon: ChineseWords) -> str:
    """The verb followed by its object."""
    return rf"(?:{any_of(act.verbs)})(?![出入掉了仓]的)[掉了好]?[^,的]{{0,3}}?(?:{_things_of_act(act, lexicon)})"


def _thing_behind_ba(act: ActWords, lexicon: ChineseWords) -> str:
    """Behind 把: the object with its verb before or behind it."""
    verbs, things, gap = any_of(act.verbs), _things_of_act(act, lexicon, _OF_ONE), _OF_ONE
    return rf"{gap}{{0,12}}?(?:{things}){gap}{{0,6}}?(?:{verbs})|{gap}{{1,14}}?(?:{verbs}){gap}{{0,6}}?(?:{things})"


def _things_of_act(act: ActWords, lexicon: ChineseWords, gap: str = _OPEN) -> str:
    return "|".join(_QUANTITY if kind == "quantity" else _thing_of_kind(kind, lexicon, gap) for kind in act.needs)


def _thing_of_kind(kind: str, lexicon: ChineseWords, gap: str) -> str:
    whose = rf"[我你]{gap}{{0,14}}?" if kind == "access" else rf"{gap}{{0,12}}?"
    about = rf"(?!{any_of(lexicon.nominal)})(?![^,]{{0,10}}的(?:{any_of(lexicon.abstract)}))"
    return rf"{whose}(?:{any_of(lexicon.things[kind])}){about}"


def _claimed_acts(lexicon: ChineseWords) -> str:
    orders = any_of((*lexicon.things["orders"], *lexicon.things["holdings"], "资金", "款项", "余额"))
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
