"""Of which day a sentence speaks."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from finclaw.brain.material.dates import known_time_of, period_in_words, relative_day


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("On 2024-03-01 revenue rose 12%.", date(2024, 3, 1)),
        ("Revenue rose on March 1, 2024.", date(2024, 3, 1)),
        ("Revenue rose on 1 March 2024.", date(2024, 3, 1)),
        ("公司于2024年3月1日披露年报。", date(2024, 3, 1)),
        ("2024年3月收入增长12%。", date(2024, 3, 31)),
        ("In February 2024 deliveries fell.", date(2024, 2, 29)),
        ("Q3 2024 margins held.", date(2024, 9, 30)),
        ("2024 Q4 guidance was cut.", date(2024, 12, 31)),
        ("2024年三季度毛利率持平。", date(2024, 9, 30)),
        ("2024年一季报超预期。", date(2024, 3, 31)),
        ("Between 2023-01-05 and 2024/02/03 it doubled.", date(2024, 2, 3)),
        ("In 2026 Nvidia reported a record.", date(2026, 12, 31)),
        ("Sales rose in H1 2026.", date(2026, 6, 30)),
        ("Sales rose in the first half of 2026.", date(2026, 6, 30)),
        ("2026年上半年销量上升。", date(2026, 6, 30)),
        ("It fell on 5/12/2026.", date(2026, 12, 5)),
        ("It fell on 12.05.2026.", date(2026, 5, 12)),
        ("FY2026 sales beat the guidance.", date(2026, 12, 31)),
        ("In 2026-05 it fell.", date(2026, 5, 31)),
        ("2026年营收达500亿元。", date(2026, 12, 31)),
        ("It fell in spring 2026.", date(2026, 5, 31)),
        ("二〇二六年五月销量上升。", date(2026, 5, 31)),
        ("二〇二六年五月十二日公告。", date(2026, 5, 12)),
        ("On May 12 '26 it fell.", date(2026, 5, 12)),
        ("10/5/26 it fell.", date(2026, 10, 5)),
        ("By 2026 AMD had taken the lead.", date(2026, 12, 31)),
        ("Its 2026 lead vanished.", date(2026, 12, 31)),
        ("26财年营收下滑。", date(2026, 12, 31)),
        ("3Q26 margins held.", date(2026, 9, 30)),
        ("Founded on 5 April 1993, it led in December 2026.", date(2026, 12, 31)),
        ("It led in December 2026 (founded 1993-04-05).", date(2026, 12, 31)),
        # The day it was told, or that of its source, comes before the time that it forecasts.
        ("On 10 May 2024 Nvidia guided to 28 billion for Q4 2024.", date(2024, 5, 10)),
        ("Nvidia guided on 10 May 2024 to 28 billion for Q4 2024.", date(2024, 5, 10)),
        ("2024年5月10日公司预计2024年四季度收入280亿。", date(2024, 5, 10)),
        ("71% chance of a cut on 2026-12-16 (CME, 2026-11-21).", date(2026, 11, 21)),
        ("2026年12月16日降息概率为71%（芝商所，2026年11月21日）。", date(2026, 11, 21)),
    ],
)
def test_a_time_that_is_named_ends_when_it_does(sentence: str, day: date) -> None:
    found = known_time_of(sentence)
    assert found is not None
    assert found.date() == day


@pytest.mark.parametrize(
    "sentence",
    [
        "The 2025 guidance stands.",
        "Revenue of 2024 units.",
        "2024年业绩指引不变。",
        "It may rise.",
        "On 2024-13-45.",
        "600519.SH",
        "Analysts expect more in 2026.",
        "分析师预计2026年收入增长20%",
        "FY2026 guidance stands at 40 billion.",
    ],
)
def test_a_year_alone_and_what_is_no_date_say_nothing(sentence: str) -> None:
    assert known_time_of(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("Yesterday the chief resigned.", 21),
        ("昨天董事长辞职。", 21),
        ("Shares fell this week.", 22),
        ("股价本周下跌。", 22),
        ("Shares fell.", None),
        ("股价下跌。", None),
    ],
)
def test_what_speaks_from_its_own_day_is_of_the_day_it_is_said(sentence: str, day: int | None) -> None:
    found = relative_day(sentence, datetime(2026, 11, 22, 9, tzinfo=UTC))
    assert (found.day if found else None) == day


@pytest.mark.parametrize(
    ("sentence", "period"),
    [
        ("2026年11月批价降到1500元。", "2026年11月"),
        ("2026年三季度毛利率持平。", "2026年三季度"),
        ("In November 2026 it fell.", "November 2026"),
        ("Q3 2026 margins held.", "Q3 2026"),
        ("2026年营收达500亿元。", "2026"),
        ("On 2026-11-30 it fell.", ""),
        ("2026年9月30日公布2026年三季度数据。", ""),
    ],
)
def test_a_period_is_told_as_it_was_written_and_a_day_as_a_day(sentence: str, period: str) -> None:
    found = known_time_of(sentence)
    assert found is not None
    assert period_in_words(sentence, found) == period
