"""Bars stand where their values say."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from finclaw.console.charts import HEIGHT, WIDTH, bar_chart

VALUES = st.lists(st.integers(min_value=0, max_value=10_000), min_size=1, max_size=40)


def test_the_highest_value_fills_the_chart_and_the_others_in_proportion() -> None:
    chart = bar_chart("t", ["a", "b"], {"x": [50, 100]}, " s")

    assert [(bar.height, bar.y, bar.title) for bar in chart.bars] == [
        (HEIGHT // 2, HEIGHT // 2, "a · x: 50 s"),
        (HEIGHT, 0, "b · x: 100 s"),
    ]
    assert chart.top == "100 s"


def test_nothing_has_no_bars() -> None:
    assert bar_chart("t", ["a", "b"], {"x": [0, 0]}).bars == ()
    assert bar_chart("t", [], {"x": []}).bars == ()


@given(first=VALUES, second=VALUES)
def test_bars_stay_inside_and_never_cover_each_other(first: list[int], second: list[int]) -> None:
    count = min(len(first), len(second))
    chart = bar_chart("t", [str(n) for n in range(count)], {"x": first[:count], "y": second[:count]})

    ends = sorted((bar.x, bar.x + bar.width) for bar in chart.bars)
    assert all(left[1] <= right[0] for left, right in pairwise(ends))
    for bar in chart.bars:
        assert bar.x >= 0
        assert bar.x + bar.width <= WIDTH
        assert 0 < bar.height <= HEIGHT
        assert bar.y + bar.height == HEIGHT
