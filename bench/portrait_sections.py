"""How many statements stand in the right section of a portrait, and how many of those that are shown read alone.

``python -m bench.portrait_sections`` reads ``bench/portraits/sections.tsv``: statements that the gate kept of eight of
the open everyday voices, without a slot, labelled by one reader. The rules of ``memory/portraits/sections.py`` were
written by the same reader with a view to six of them, not to those of ``HELD_OUT``. A ridge head over static vectors
and topics, each voice judged by the others, found .67 of the sections; the rules stayed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory.evolution.slots import STATEMENT
from memory.portraits.line_eligibility import is_eligible
from memory.portraits.sections import ANSWERS, section_of

FILE: Final = Path(__file__).parent / "portraits" / "sections.tsv"
HELD_OUT: Final = frozenset({"en_quant", "zh_mama"})


@dataclass(frozen=True)
class Labelled:
    """A statement with what a reader said of it."""

    voice: str
    category: str
    section: str
    reads_alone: bool
    statement: str

    @property
    def found(self) -> str:
        """The section that the rules give it."""
        return section_of(self.statement, STATEMENT, self.category)

    @property
    def is_shown(self) -> bool:
        """Whether it would be a line."""
        return is_eligible(self.statement, addressed=self.found == ANSWERS, free=True)


def labelled() -> list[Labelled]:
    """Every labelled statement."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Labelled(row["voice"], row["category"], row["section"], row["reads_alone"] == "yes", row["statement"])
            for row in rows
        ]


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def main() -> None:
    """Print a line a voice, and the voices that the rules were written on and were not."""
    rows = labelled()
    voices = sorted({row.voice for row in rows})
    groups = {
        **{voice: [row for row in rows if row.voice == voice] for voice in voices},
        "seen": [row for row in rows if row.voice not in HELD_OUT],
        "held out": [row for row in rows if row.voice in HELD_OUT],
    }
    print(f"{'':14}{'statements':>11}{'section':>9}{'shown':>7}{'read alone':>12}{'clean shown':>13}")
    for name, group in groups.items():
        shown = [row for row in group if row.is_shown]
        figures = (
            _share(row.found == row.section for row in group),
            _share(row.is_shown for row in group),
            _share(row.reads_alone for row in shown),
            _share(row.is_shown for row in group if row.reads_alone),
        )
        print(
            f"{name:14}{len(group):>11}"
            + "".join(f"{figure:>{width}.2f}" for figure, width in zip(figures, (9, 7, 12, 13), strict=True))
        )


if __name__ == "__main__":
    main()
