"""Of which day a sentence speaks."""

from __future__ import annotations

from datetime import date

import pytest

from finclaw.brain.research.dates import dated


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
    ],
)
def test_a_day_a_month_and_a_quarter_end_when_they_do(sentence: str, day: date) -> None:
    found = dated(sentence)
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
    ],
)
def test_a_year_alone_and_what_is_no_date_say_nothing(sentence: str) -> None:
    assert dated(sentence) is None
