"""Finds the dates of a text that are absolute already, each as a whole, so that no part of one is resolved again."""

from __future__ import annotations

import re
from typing import Final

from memory.rewriting.time_phrases import MONTHS

_COUNT_ZH: Final = r"[\d一二两三四五六七八九十几数多半好许大小百来]{1,5}个?[多半]?"
_UNIT_ZH: Final = r"(?:分钟|小时|钟头|天|日|周|星期|礼拜|月|年|季度)"
_CHINESE: Final = (
    r"\d{4}年(?:(?:1[0-2]|[1-9])月(?:\d{1,2}日)?)?"
    r"(?:至(?:\d{4}年)?(?:\d{1,2}月)?\d{1,2}日)?(?:\d\d:\d\d)?"
    rf"(?:[这那]一周|的周末|左右|前后|(?:之前|前)不久|之后一段时间|之[前后]的?(?:一段时间|{_COUNT_ZH}{_UNIT_ZH}多?)|之后"
    r"|第[一二三四]季度|[上下]半年|年?[底末初中]|[上中下]旬|早上|早晨|上午|下午|晚上|夜里)?"
)
_DATE: Final = rf"(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)}) \d{{4}}"
_ENGLISH: Final = (
    r"(?:\bthe (?:week|weekend|morning|afternoon|evening|night|(?:beginning|middle|end|start)(?: of the week)?) of )?"
    rf"(?:\b\d\d:\d\d on )?\b{_DATE}\b(?: to {_DATE}\b)?(?: (?:weekend|morning|afternoon|evening|night)\b)?"
)
_ABSOLUTE: Final = re.compile(f"{_CHINESE}|{_ENGLISH}")


def absolute_spans(text: str) -> list[tuple[int, int]]:
    """The dates of a text, with the year, as the historian writes them: "8 May 2023", 2023年5月1日至7日这一周.

    The span of a Chinese date includes the character after it: what is written directly behind the date belongs to it.
    """
    return [(match.start(), match.end() + (not match.group().isascii())) for match in _ABSOLUTE.finditer(text)]
