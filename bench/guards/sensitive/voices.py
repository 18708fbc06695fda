"""Reads the labelled lines of the open corpus, with the voice and the family of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

OPEN: Final = Path(__file__).parent / "open"
_MARK: Final = re.compile(r"⟦(?P<kind>[a-z_]+):(?P<value>[^⟦⟧]*)⟧")
_HELD_OUT: Final = frozenset(
    ["en_student", "zh_liuxue", "en_reception", "zh_zhensuo", "en_estate", "zh_zhongjie", "en_retiree", "zh_tuixiu"]
)


@dataclass(frozen=True, slots=True)
class Line:
    """A text, its findings as (kind, start, end), and who wrote it to what purpose."""

    voice: str
    family: str
    text: str
    findings: tuple[tuple[str, int, int], ...]


def held_out_voices() -> frozenset[str]:
    """Four voices of each language, with the ones that mirror them: nothing is fitted to them."""
    return _HELD_OUT


def read_voices(folder: Path = OPEN) -> Iterator[Line]:
    """The lines of every voice, in order."""
    for path in sorted(folder.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                family, marked = line.split("\t", 1)
                yield Line(path.stem, family, *_unmarked(marked.replace("\\n", "\n")))


def _unmarked(marked: str) -> tuple[str, tuple[tuple[str, int, int], ...]]:
    text, read, findings = "", 0, []
    for mark in _MARK.finditer(marked):
        text += marked[read : mark.start()]
        findings.append((mark["kind"], len(text), len(text) + len(mark["value"])))
        text += mark["value"]
        read = mark.end()
    return text + marked[read:], tuple(findings)
