"""Finds the months, quarters, halves, seasons and years that a sentence names; Chinese and English."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from types import MappingProxyType
from typing import Final

from foundation.language import month_number, month_pattern

_YEAR = r"(?P<year>(?:19|20)\d{2})"
_SHORT = r"(?P<year>(?:19|20)\d{2}|['’]?\d{2})\b"
_MONTH = rf"(?P<part>{month_pattern('en')})\.?"
_COUNTED: Final = MappingProxyType(
    {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4, "上": 1, "下": 2}
)
# The last month of each.
_SEASONS: Final = MappingProxyType({"spring": 5, "summer": 8, "autumn": 11, "fall": 11, "winter": 12})
_ORDINAL = r"(?P<part>first|second|third|fourth)"
_BY_LENGTH: Final[tuple[tuple[int, str], ...]] = (
    (3, rf"\bQ(?P<part>[1-4])[-/\s]*+(?:of\s++)?(?:(?:FY|fiscal)\s*+)?{_SHORT}"),
    (3, rf"\b(?P<part>[1-4])Q\s*{_SHORT}"),
    (3, rf"\b{_YEAR}[-\s]*Q(?P<part>[1-4])\b"),
    (3, rf"\b{_ORDINAL}[- ]quarter\s+(?:of\s+)?(?:fiscal\s+)?{_YEAR}\b"),
    (3, rf"{_YEAR}\s*+(?:年\s*+)?(?:第\s*+)?(?P<part>[一二三四1-4])\s*季度?"),
    (6, rf"\bH(?P<part>[12])\s*+(?:of\s++)?(?:(?:FY|fiscal)\s*+)?{_SHORT}"),
    (6, rf"\b(?P<part>[12])H\s*{_SHORT}"),
    (6, rf"\b{_YEAR}[-\s]*H(?P<part>[12])\b"),
    (6, rf"\b{_ORDINAL}[- ]half\s+(?:of\s+)?(?:fiscal\s+)?{_YEAR}\b"),
    (6, rf"{_YEAR}\s*年\s*(?P<part>[上下])半年"),
    (
        1,
        rf"\b{_MONTH}(?:,?\s+|-)(?:of\s+)?(?P<year>(?:19|20)\d{{2}}|['’]\d{{2}})\b",
    ),
    (1, rf"(?<![\d-]){_YEAR}-(?P<part>0[1-9]|1[0-2])(?![\d-])"),
    (1, r"(?<!\d)(?P<year>(?:19|20)?\d{2})\s*年\s*(?P<part>\d{1,2})\s*月(?!\s*\d{1,2}\s*[日号])"),
    (1, rf"\b(?P<part>spring|summer|autumn|fall|winter)\s+(?:of\s+)?{_YEAR}\b"),
)
_MEASURE = (
    r"units?|shares?|stores?|people|employees|cars|vehicles|tonn?e?s|chips|wafers|dollars|yuan|points|[kmg]wh?|bn"
    r"|[mb]illion"
)
_PERIODS: Final = tuple((months, re.compile(pattern, re.IGNORECASE)) for months, pattern in _BY_LENGTH)
_WHOLE_YEAR: Final = re.compile(
    r"\b(?:FY|CY)\s?-?(?P<fiscal>(?:19|20)?\d{2})\b|(?<!\d)(?P<chinese_fiscal>(?:20)?\d{2})\s*财年"
    r"|\b(?:in|during|since|year|fiscal|calendar) (?P<old>(?:19|20)\d{2})\b(?![-/.,]\d)"
    rf"|(?<![\w$€£¥.,/-])(?<!\bof )(?P<bare>20[1-3]\d)(?![\w%])(?![-/.,]\d)(?! (?:{_MEASURE})\b)"
    r"|(?:end|half|middle|rest|course|quarter|year|all|most|much) of (?P<of>(?:19|20)\d{2})\b"
    r"|(?<!\d)(?P<chinese>(?:19|20)\d{2})\s*年(?!\s*(?:\d{1,2}\s*月|第?[一二三四1-4]\s*季|[上下]半年))",
    re.IGNORECASE,
)
_EXPECTED: Final = re.compile(
    r"\b(?:will|(?-i:may)|might|could|would|should|expect\w*|forecast\w*|guid(?:es|ed|ance)|outlook|targets?|plans? to"
    r"|projec\w+|estimate[sd]?)\b|指引|预计|预期|预测|目标|计划|有望|展望|将(?!近)|可能|力争",
    re.IGNORECASE,
)
_CAME: Final = re.compile(
    r"\b(?:reported|beat|missed|exceeded|surpassed|lost|won|met|was|were|had|became|fell|rose|grew|dropped|declined"
    r"|slipped"
    r"|failed|took|saw)\b|超出?(?:了)?预期|不及预期|达到|达(?=\d)|实现|已经?|曾|了(?!解)",
    re.IGNORECASE,
)


def period_ends(text: str) -> Iterator[date]:
    """The last day of each named period; a whole year only where it is not an expectation."""
    return (day for day, _ in periods_in_words(text))


def periods_in_words(text: str) -> Iterator[tuple[date, str]]:
    """The last day of each named period with the words that name it; for a whole year its figure."""
    parts = [(match, months) for months, pattern in _PERIODS for match in pattern.finditer(text)]
    for match, months in parts:
        ended = _month_end(parse_year(match["year"]), _last_month(match["part"], months))
        yield from ((day, match.group()) for day in ended)
    # A year that is only expected dates nothing, unless the sentence also tells what came of it.
    if _CAME.search(text) or not _EXPECTED.search(text):
        within = {place for match, _ in parts for place in range(*match.span())}
        whole = (match for match in _WHOLE_YEAR.finditer(text) if within.isdisjoint(range(*match.span())))
        years = (parse_year(next(filter(None, match.groups()))) for match in whole)
        yield from ((date(year, 12, 31), str(year)) for year in years)


def parse_year(written: str) -> int:
    """The year written with four digits or two."""
    year = int(written.strip("'’"))
    return year if year >= 1900 else 2000 + year


def _last_month(written: str, months: int) -> int:
    """The last month of the named part of a year; ``months`` is the length of each part."""
    low = written.lower()
    if low in _COUNTED or low.isdigit():
        return (_COUNTED.get(low) or int(low)) * months
    return _SEASONS.get(low) or month_number(low)


def _month_end(year: int, month: int) -> Iterator[date]:
    """The month's last day; nothing for a month that does not exist."""
    if 1 <= month <= 12:
        yield date(year, month, monthrange(year, month)[1])
