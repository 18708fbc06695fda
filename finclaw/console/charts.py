"""Bar charts as geometry: integers that a template writes into SVG, without scripts or inline styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 480, 120
GAP = 2
MOST_LABELS = 4  # as many as stay legible under the bars


@dataclass(frozen=True)
class ChartBar:
    """One bar in the chart's units; ``series`` counts from 1 and selects its colour."""

    x: int
    y: int
    width: int
    height: int
    series: int
    title: str


@dataclass(frozen=True)
class ChartLabel:
    x: int
    text: str


@dataclass(frozen=True)
class BarChart:
    """``top`` is the value of the highest bar; a chart without values has no bars."""

    title: str
    bars: tuple[ChartBar, ...]
    labels: tuple[ChartLabel, ...]
    legend: tuple[str, ...]
    top: str
    width: int = WIDTH
    height: int = HEIGHT


def bar_chart(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float]], unit: str = "") -> BarChart:
    """Groups of bars side by side, one group for each label; every series has one value for each label."""
    top = max((value for values in series.values() for value in values), default=0.0)
    slot = WIDTH // max(len(labels), 1)
    width = max((slot - GAP) // max(len(series), 1), 1)
    bars = [
        ChartBar(
            x=index * slot + (number - 1) * width,
            y=HEIGHT - _bar_height(value, top),
            width=width,
            height=_bar_height(value, top),
            series=number,
            title=f"{labels[index]} · {name}: {_value_text(value)}{unit}",
        )
        for number, (name, values) in enumerate(series.items(), 1)
        for index, value in enumerate(values)
        if value > 0  # clocks of two machines may make a latency negative
    ]
    return BarChart(
        title, tuple(bars), _sparse_labels(labels, slot), tuple(series), f"{_value_text(top)}{unit}" if top else ""
    )


def _bar_height(value: float, top: float) -> int:
    return max(round(value / top * HEIGHT), 1)


def _sparse_labels(labels: Sequence[str], slot: int) -> tuple[ChartLabel, ...]:
    step = max(len(labels) // MOST_LABELS, 1)
    return tuple(ChartLabel(index * slot, labels[index]) for index in range(0, len(labels), step))


def _value_text(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"
