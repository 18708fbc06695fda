"""Reads the labelled corpus: synthetic lines in both languages, half of them harmless ones that look sensitive.

A line is ``language TAB text``; sensitive parts are marked ⟦kind:…⟧, and ``\\n`` is a line break. All values are made
up or published for tests: their check digits are right, but they belong to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from consent.sensitive.types import Finding, SensitiveKind
from foundation.labelled_corpus import Split, labelled_lines

PATH = Path(__file__).parent / "corpus.tsv"
_MARK = re.compile(r"⟦(?P<kind>[a-z_]+):(?P<value>[^⟦⟧]*)⟧")


@dataclass(frozen=True, slots=True)
class SensitiveExample:
    """A text, its expected findings, and the split of the corpus it belongs to."""

    number: int
    language: str
    text: str
    findings: tuple[Finding, ...]
    split: Split


def read_corpus(path: Path = PATH) -> Iterator[SensitiveExample]:
    """The corpus' lines in order. Raises ``ValueError`` for a line without its language or of an unknown kind."""
    for number, (language, marked), split in labelled_lines(path, fields=2):
        text, findings = _unmarked(marked.replace("\\n", "\n"))
        yield SensitiveExample(number, language, text, findings, split)


def _unmarked(marked: str) -> tuple[str, tuple[Finding, ...]]:
    text, read, findings = "", 0, []
    for mark in _MARK.finditer(marked):
        text += marked[read : mark.start()]
        findings.append(Finding(SensitiveKind(mark["kind"]), len(text), len(text) + len(mark["value"])))
        text += mark["value"]
        read = mark.end()
    return text + marked[read:], tuple(findings)
