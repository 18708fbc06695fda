"""Expressions of time in both languages: what they mean by a Wednesday's clock, when that is sure, and that what was
made absolute stays as it is.
"""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.language import Language
from memory.rewriting.rule_rewriter import with_absolute_times
from memory.rewriting.timex.reader import read_times
from memory.rewriting.timex.types import Interval, TimeExpression
from memory.rewriting.types import EventClock
from tests.support.examples import examples

NOW = datetime(2023, 5, 10, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))
CLOCK = EventClock(NOW, "Europe/Berlin")
A_YEAR_LATER = EventClock(NOW.replace(year=2024, month=11), "Europe/Berlin")


def _read(text: str, language: Language = "en") -> TimeExpression:
    [found] = read_times(text, NOW, language)
    return found


def _shown(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}".removesuffix(" 00:00") if moment else ""


def _spans(found: TimeExpression) -> list[str]:
    """Each interval as "first/last", a point as itself."""
    return [_span(interval) for interval in found.intervals]


def _span(interval: Interval) -> str:
    first, last = _shown(interval.start), _shown(interval.end)
    return first if first == last else f"{first}/{last}"


SURE = [
    ("yesterday", "2023-05-09"),
    ("the day before yesterday", "2023-05-08"),
    ("two weeks from tomorrow", "2023-05-25"),
    ("next week on Tuesday", "2023-05-16"),
    ("Friday of next week", "2023-05-19"),
    ("the first Monday of next month", "2023-06-05"),
    ("the 27th of this month", "2023-05-27"),
    ("the last day of next month", "2023-06-30"),
    ("March next year", "2024-03-01/2024-04-01"),
    ("next quarter", "2023-07-01/2023-10-01"),
    ("the second half of last year", "2022-07-01/2023-01-01"),
    ("tomorrow at 10am", "2023-05-11 10:00"),
    ("ten past nine this morning", "2023-05-10 09:10"),
    ("tomorrow from 5 to 6pm", "2023-05-11 17:00/2023-05-11 18:00"),
    ("twenty minutes ago", "2023-05-10 14:10"),
    ("2 January 2019", "2019-01-02"),
    ("from 26 June 2020 to June the 28th 2020", "2020-06-26/2020-06-28"),
    ("Thanksgiving 2023", "2023-11-23"),
    ("black friday 2010", "2010-11-26"),
    ("Easter 2019", "2019-04-21"),
]
SURE_ZH = [
    ("昨天", "2023-05-09"),
    ("大后天", "2023-05-13"),
    ("上上周", "2023-04-24/2023-05-01"),
    ("下个礼拜三", "2023-05-17"),
    ("去年五月三号", "2022-05-03"),
    ("上个月29号", "2023-04-29"),
    ("去年上半年", "2022-01-01/2022-07-01"),
    ("二零一六年至二零一八年三月一日", "2016-01-01/2018-03-01"),
    ("明天下午三点半", "2023-05-11 15:30"),
    ("後天上午9點到10點", "2023-05-12 09:00/2023-05-12 10:00"),
    ("十九世纪七十年代", "1870-01-01/1880-01-01"),
    ("上世纪八十年代", "1980-01-01/1990-01-01"),
    ("三天前", "2023-05-07"),
    ("2021年的第三个月", "2021-03-01/2021-04-01"),
]


@pytest.mark.parametrize(("text", "meant"), SURE)
def test_an_english_expression_means_one_time(text: str, meant: str) -> None:
    found = _read(text)
    assert (_spans(found), found.is_sure) == ([meant], True)


@pytest.mark.parametrize(("text", "meant"), SURE_ZH)
def test_a_chinese_expression_means_one_time(text: str, meant: str) -> None:
    found = _read(text, "zh")
    assert (_spans(found), found.is_sure) == ([meant], True)


@pytest.mark.parametrize(
    ("text", "language", "readings"),
    [
        ("on Friday", "en", ["2023-05-05", "2023-05-12"]),
        ("3 May", "en", ["2023-05-03", "2024-05-03"]),
        ("in March", "en", ["2023-03-01/2023-04-01", "2024-03-01/2024-04-01"]),
        ("Feb 29", "en", ["2020-02-29", "2024-02-29"]),
        ("on 3/4/2023", "en", ["2023-03-04"]),
        ("today at 5", "en", ["2023-05-10 05:00", "2023-05-10 17:00"]),
        ("last Monday", "en", ["2023-05-08"]),
        ("the day after", "en", ["2023-05-11"]),
        ("the end of the 1990s", "en", ["1996-09-01/2000-01-01"]),
        ("in the mid-1990s", "en", ["1993-05-01/1996-09-01"]),
        ("the middle of the year", "en", ["2023-05-01/2023-09-01"]),
        ("the beginning of the year", "en", ["2023-01-01/2023-07-01"]),
        ("九十年代末", "zh", ["1996-09-01/2000-01-01", "2096-09-01/2100-01-01"]),
        ("上世纪初", "zh", ["1900-01-01/1933-05-01"]),
        ("星期五", "zh", ["2023-05-05", "2023-05-12"]),
        ("29日", "zh", ["2023-04-29", "2023-05-29"]),
        ("两年后", "zh", ["2025-05-10"]),
    ],
)
def test_what_the_words_leave_open_is_not_sure(text: str, language: Language, readings: list[str]) -> None:
    found = _read(text, language)
    assert (_spans(found), found.is_sure) == (readings, False)


@pytest.mark.parametrize("text", ["feb 30", "30 February 2019", "2月30日"])
def test_a_day_that_does_not_exist_means_nothing(text: str) -> None:
    assert [found.intervals for found in read_times(text, NOW, "zh" if "月" in text else "en")] == [()]


@pytest.mark.parametrize(
    "text", ["May I ask why?", "Deliver 2000 pieces.", "We march on.", "a 4:3 screen", "end of the line", "up to date"]
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert [found for found in read_times(text, NOW, "en") if found.intervals and found.is_sure] == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("an hour and a half", 5_400),
        ("one year and 21 days", 386 * 86_400),
        ("3 hours 30 minutes", 12_600),
        ("三个半小时", 12_600),
        ("8天又二十个小时", 763_200),
        ("半年", 15_768_000),
    ],
)
def test_a_length_is_counted(text: str, seconds: int) -> None:
    found = _read(text, "en" if text.isascii() else "zh")
    assert found.length
    assert (found.kind, found.length.total_seconds()) == ("duration", seconds)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Alice flies next week on Tuesday.", "Alice flies on 16 May 2023."),
        ("Alice moves on the first Monday of next month.", "Alice moves on 5 June 2023."),
        ("The rent is due on the 27th of this month.", "The rent is due on 27 May 2023."),
        ("Alice retires in March next year.", "Alice retires in March 2024."),
        ("Alice saw Bob at the museum two days before yesterday.", "Alice saw Bob at the museum on 7 May 2023."),
        ("Alice saw Bob the previous Friday.", "Alice saw Bob on 5 May 2023."),
        ("Alice is away between now and 3 June 2023.", "Alice is away between now and 3 June 2023."),
        ("小明上个月29号搬家了。", "小明2023年4月29日搬家了。"),
        ("小明去年五月三号结婚了。", "小明2022年5月3日结婚了。"),
        ("小明明年三月去上海。", "小明2024年3月去上海。"),
    ],
)
def test_what_is_sure_is_written_absolutely(text: str, written: str) -> None:
    assert with_absolute_times(text, CLOCK) == written


@pytest.mark.parametrize(
    "text", ["Alice sings on Friday.", "Alice left the previous Monday.", "Alice was born on 3 May.", "小明29日出发。"]
)
def test_what_is_open_stays(text: str) -> None:
    assert with_absolute_times(text, CLOCK) == text


_PIECES = st.sampled_from(
    [
        *(text for text, _ in SURE), *(text for text, _ in SURE_ZH),
        "last Friday", "in two weeks", "this summer", "the end of the month", "over the last three months", "recently",
        "May", "12", "at 5", "of", "on", "the", ",", "。", "、", "Alice", "小明", "09:00", "2023年5月1日", "8 May 2023",
        "最近", "年底", "三年", "后", "前", "上", "月", "周末", "the week of", "around", "before", "from", "to",
    ]
)  # fmt: skip


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(_PIECES, max_size=8), st.sampled_from([" ", ""]))
def test_what_is_absolute_is_resolved_only_once(pieces: list[str], between: str) -> None:
    once = with_absolute_times(between.join(pieces), CLOCK)
    assert with_absolute_times(once, CLOCK) == once
    assert with_absolute_times(once, A_YEAR_LATER) == once


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=60) | st.lists(_PIECES, max_size=6).map(" ".join), st.sampled_from(["en", "zh"]))
def test_expressions_stand_apart_and_in_order(text: str, language: Language) -> None:
    found = read_times(text, NOW, language)
    assert all(0 <= item.start < item.end <= len(text) for item in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
