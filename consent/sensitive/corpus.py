"""The labelled corpus: synthetic lines in both languages, half of them harmless ones that look dangerous.

A line is ``language TAB text``; what is sensitive in it stands in ⟦kind:…⟧, and ``\\n`` is a line break. All
values are made up or published for tests: check digits hold, nobody owns them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from consent.sensitive.types import Finding, SensitiveKind

PATH = Path(__file__).parent / "corpus.tsv"
CorpusSplit = Literal["tuning", "held_out"]
_MARK = re.compile(r"⟦(?P<kind>[a-z_]+):(?P<value>[^⟦⟧]*)⟧")
_HELD_OUT_SHARE = 3  # about every third line, told by its hash, is scored by itself: fitting would show


@dataclass(frozen=True, slots=True)
class SensitiveExample:
    """A text, what is to be found in it, and which part of the corpus it belongs to."""

    number: int
    language: str
    text: str
    findings: tuple[Finding, ...]
    split: CorpusSplit


def read_corpus(path: Path = PATH) -> Iterator[SensitiveExample]:
    """The corpus' lines in order. Raises ``ValueError`` for a line without its language or of an unknown kind."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            language, marked = line.rstrip("\n").split("\t")
            text, findings = _unmarked(marked.replace("\\n", "\n"))
            yield SensitiveExample(number, language, text, findings, _split_of(line))


def _unmarked(marked: str) -> tuple[str, tuple[Finding, ...]]:
    text, read, findings = "", 0, []
    for mark in _MARK.finditer(marked):
        text += marked[read : mark.start()]
        findings.append(Finding(SensitiveKind(mark["kind"]), len(text), len(text) + len(mark["value"])))
        text += mark["value"]
        read = mark.end()
    return text + marked[read:], tuple(findings)


def _split_of(line: str) -> CorpusSplit:
    return "held_out" if hashlib.sha256(line.encode()).digest()[0] % _HELD_OUT_SHARE == 0 else "tuning"
