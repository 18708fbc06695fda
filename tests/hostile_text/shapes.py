"""Texts that nobody means and anybody can send: one thing over and over, alone, behind words, before an end that fits
nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Final

UNITS: Final = {
    # marks
    "dot": ".", "spaced dot": ". ", "ellipsis": "…", "Chinese full stop": "。", "exclamation": "！", "question": "?",
    "comma": ",", "Chinese comma": "，", "enumeration comma": "、", "semicolon": ";", "colon": ":", "dash": "-",
    "em dash": "—", "underscore": "_", "star": "*", "hash": "#", "pipe": "|", "slash": "/", "backslash": "\\",
    "tilde": "~", "plus": "+", "equals": "=", "ampersand": "&", "entity": "&amp;", "percent": "%20", "dollar": "$",
    # white space and what nobody sees
    "space": " ", "tab": "\t", "line end": "\n", "space and line end": " \n", "wide space": "\u3000",
    "zero width": "\u200b", "letters with zero width": "a\u200b", "combining mark": "\u0301",
    "letters with marks": "a\u0301", "variation selector": "\ufe0f", "control": "\x08",
    # brackets and quotes
    "open bracket": "(", "closed bracket": ")", "nested": "(a", "square bracket": "[", "link": "[a](",
    "Chinese bracket": "（", "book": "《", "curly": "{", "less than": "<", "tag": "<a ", "quote": '"',
    "apostrophe": "'", "quote opened": "“", "quotes": "“”", "corner": "「", "backtick": "`", "fence": "```\n",
    # letters and words
    "letter": "a", "capital": "A", "both cases": "aA", "capitalized": "Aa ", "initial": "A.", "abbreviation": "Mr. ",
    "I": "I ", "I am": "I am ", "I like": "I like ", "yes": "yes ", "no": "no, ", "not": "not ", "very": "very ",
    "so": "so ", "and": "and ", "that": "that ", "always": "always ", "because": "because ", "if": "if ",
    "what": "what ", "ignore": "ignore ", "call me": "call me ", "name": "my name is A ", "hello": "hello, ",
    "token": "token ", "seed word": "abandon ", "yesterday": "yesterday ", "month": "January ",
    "statement": "I bought BTC. ", "bullet": "- a\n", "heading": "# a\n",
    "嗯": "嗯", "哦": "哦", "对": "对", "刚": "刚", "总是": "总是", "不对，": "不对，", "不": "不", "的": "的",
    "了": "了", "我": "我", "我是": "我是", "我叫": "我叫", "不是": "不是", "其实": "其实", "问": "问", "因为": "因为",
    "如果": "如果", "为什么": "为什么", "昨天": "昨天", "三年": "三年", "嗯 ": "嗯 ",
    "我买了比特币。": "我买了比特币。", "Chinese names": "王小明和李大伟去了。",
    "kana": "あ", "hangul": "가", "Arabic": "س", "full width": "Ａ", "traditional": "著", "dotted capital": "İ",
    "ligature": "ﷺ", "long ligature": "ﷻ", "squared words": "㌖", "emoji": "😀", "family": "👨‍👩‍👧", "flag": "🇨🇳",
    # numbers, addresses, symbols
    "digit": "1", "spaced digit": "1 ", "digit and comma": "1,", "digit and dot": "1.", "digit and dash": "1-",
    "card": "4111 ", "Chinese number": "三", "date": "2026-01-01", "share": "1%", "price": "$1", "at": "@",
    "letter and at": "a@", "half an address": "a@a.", "address": "al@example.com ", "URL": "https://example.com/a?b=c ",
    "www": "www.", "account": "DE89 ", "ticker": "BTC ", "pair": "BTC/USDT", "cashtag": "$btc ",
}  # fmt: skip
_OPENINGS: Final = ("", "I like ", "我喜欢")
_ENDS: Final = ("", "x", "！", "?", "\n\x00")
_MIXTURES: Final = 6
_QUICK: Final = (("", "x"), ("I like ", "！"), ("我喜欢", "x"), ("", ""))
_EVERY_QUICK: Final = 14
_ALWAYS_QUICK: Final = ("Chinese names",)
"""As many candidates as a text may hold, whatever else is passed over."""


def hostile_texts(size: int, *, whole: bool = True) -> Iterator[tuple[str, str]]:
    """The name and the text of every shape, each of ``size`` characters; else of a few, in one form each."""
    for name, unit, before, after in _whole() if whole else _quick():
        yield f"{before!r} {name} {after!r}", _filled(before, unit, after, size)
    half = size // 2
    for opened, closed in ("()", "“”", "「」", "《》"):
        yield f"nested {opened}{closed}", opened * half + closed * half
    chance = random.Random(0)
    for number in range(_MIXTURES if whole else 2):
        yield f"mixture {number}", "".join(islice(_units(chance), size))[:size]


def _whole() -> Iterator[tuple[str, str, str, str]]:
    for name, unit in UNITS.items():
        yield from ((name, unit, before, after) for before in _OPENINGS for after in _ENDS)


def _quick() -> Iterator[tuple[str, str, str, str]]:
    chosen = [*islice(UNITS.items(), 0, None, _EVERY_QUICK), *((name, UNITS[name]) for name in _ALWAYS_QUICK)]
    yield from ((name, unit, *around) for (name, unit), around in zip(chosen, cycle(_QUICK), strict=False))


def _filled(before: str, unit: str, after: str, size: int) -> str:
    room = size - len(before) - len(after)
    return before + (unit * (room // len(unit) + 1))[:room] + after


def _units(chance: random.Random) -> Iterator[str]:
    units = list(UNITS.values())
    while True:
        yield chance.choice(units)
