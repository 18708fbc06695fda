"""Labelled corpora: a line an example, fields separated by tabs, every third line held out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

Split = Literal["tuning", "held_out"]
_HELD_OUT_SHARE: Final = 3
"""About every third line, told by its hash, is scored by itself: fitting the rules to the rest would show."""


def labelled_lines(path: Path, fields: int) -> Iterator[tuple[int, tuple[str, ...], Split]]:
    """The number, from 1, the fields and the split of each line. Raises ``ValueError`` for another number of fields."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            values = tuple(line.rstrip("\n").split("\t"))
            if len(values) != fields:
                raise ValueError(f"line {number} has {len(values)} fields, not {fields}")
            yield number, values, _split_of(line)


def _split_of(line: str) -> Split:
    return "held_out" if hashlib.sha256(line.encode()).digest()[0] % _HELD_OUT_SHARE == 0 else "tuning"
