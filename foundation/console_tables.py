"""Tables that management commands print."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.table import Table

_MIN_WIDTH: Final = (
    110  # a figure cut short says nothing; without a terminal rich would take 80 columns for all there is
)


def render_table(table: Table) -> str:
    """The table as text, as wide as the terminal and at least wide enough for its figures."""
    console = Console(width=max(Console().width, _MIN_WIDTH))
    with console.capture() as captured:
        console.print(table)
    return captured.get()
