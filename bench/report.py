"""How every measurement tells its figures: a table for people, JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"
_MIN_WIDTH = 110  # a table cut short says nothing
if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Figures = Mapping[str, Mapping[str, float]]


def publish(name: str, title: str, figures: Figures) -> None:
    """Print a row a key of ``figures``, a column a figure, and write them to ``results/<name>.json``."""
    print_table(title, figures)
    write_results(name, figures)


def print_table(title: str, figures: Figures) -> None:
    """Print a row a key of ``figures``, a column a figure."""
    table = Table(title=title)
    table.add_column("", no_wrap=True)
    columns = list(dict.fromkeys(column for row in figures.values() for column in row))
    for column in columns:
        table.add_column(column, justify="right")
    for label, row in figures.items():
        table.add_row(label, *(_shown(row.get(column)) for column in columns))
    console = Console()
    Console(width=max(console.width, _MIN_WIDTH)).print(table)


def write_results(name: str, figures: Mapping[str, Any]) -> None:
    """Write figures to ``results/<name>.json``."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def publish_outcome(name: str, outcome: DataclassInstance) -> None:
    """Print a line a field of what a proof came to, and write them to ``results/<name>.json``."""
    fields = asdict(outcome)
    for field, value in fields.items():
        print(f"{field.replace('_', ' '):20} {value}")
    write_results(name, fields)


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
