"""Bar charts as geometry: whole numbers that a template writes into SVG, no script, no inline style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 480, 120
GAP = 2
LABELS = 4  # as many as stay legible under the bars


@dataclass(frozen=True)
class Bar:
    """One bar in the chart's own units; ``series`` counts from 1 and is its colour."""

    x: int
    y: int
    width: int
    height: int
    series: int
    title: str


@dataclass(frozen=True)
class Label:
    x: int
    text: str


@dataclass(frozen=True)
class Chart:
    """``top`` is what the highest bar stands for; a chart without any value has no bars."""

    title: str
    bars: tuple[Bar, ...]
    labels: tuple[Label, ...]
    legend: tuple[str, ...]
    top: str
    width: int = WIDTH
    height: int = HEIGHT


def bar_chart(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float]], unit: str = "") -> Chart:
    """Groups of bars side by side, one group a label; every series has as many values as there are labels."""
    top = max((value for values in series.values() for value in values), default=0.0)
    slot = WIDTH // max(len(labels), 1)
    width = max((slot - GAP) // max(len(series), 1), 1)
    bars = [
        Bar(
            x=index * slot + (number - 1) * width,
            y=HEIGHT - _height(value, top),
            width=width,
            height=_height(value, top),
            series=number,
            title=f"{labels[index]} · {name}: {_shown(value)}{unit}",
        )
        for number, (name, values) in enumerate(series.items(), 1)
        for index, value in enumerate(values)
        if value > 0  # clocks of two machines may make a latency negative
    ]
    return Chart(title, tuple(bars), _sparse(labels, slot), tuple(series), f"{_shown(top)}{unit}" if top else "")


def _height(value: float, top: float) -> int:
    return max(round(value / top * HEIGHT), 1)


def _sparse(labels: Sequence[str], slot: int) -> tuple[Label, ...]:
    step = max(len(labels) // LABELS, 1)
    return tuple(Label(index * slot, labels[index]) for index in range(0, len(labels), step))


def _shown(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"
