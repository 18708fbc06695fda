"""Measures sanitization on its labelled corpus: injections in both languages, and harmless lines that look like them.

A line is ``language TAB result TAB text``; in the text ``\\n`` is a line break and ``\\uXXXX`` a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from foundation.labelled_corpus import Split, labelled_lines
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SanitizationResult

PATH = Path(__file__).parent / "corpus.tsv"
_ESCAPE = re.compile(r"\\u(?P<code>[0-9a-f]{4})|\\n")


@dataclass
class SanitizationScore:
    """Counts of lines. A harmful one is caught when it does not pass unchanged."""

    caught: int = 0
    missed: int = 0
    false: int = 0
    harmless: int = 0

    @property
    def precision(self) -> float:
        """The share of stopped lines that are harmful; 1.0 where nothing was stopped."""
        return self.caught / (self.caught + self.false) if self.caught + self.false else 1.0

    @property
    def recall(self) -> float:
        """The share of harmful lines that were stopped; 1.0 where there are none."""
        return self.caught / (self.caught + self.missed) if self.caught + self.missed else 1.0


@dataclass
class SanitizationEvaluation:
    """Scores by name (``all``, each part of the corpus, each language), and the misjudged lines."""

    scores: dict[str, SanitizationScore] = field(default_factory=dict)
    mistakes: list[tuple[SanitizationExample, SanitizationResult, str]] = field(default_factory=list)

    def passes(self, precision: float, recall: float) -> bool:
        """Whether both floors are reached overall and in each part and language."""
        return all(score.precision >= precision and score.recall >= recall for score in self.scores.values())

    def add(self, example: SanitizationExample) -> None:
        """Sanitize one line and count the outcome."""
        found = sanitize(example.text)
        outcome = _outcome(example.is_harmful, stopped=found.result is not SanitizationResult.PASS)
        for name in ("all", example.split, example.language):
            score = self.scores.setdefault(name, SanitizationScore())
            setattr(score, outcome, getattr(score, outcome) + 1)
        if found.result is not example.expected:
            self.mistakes.append((example, found.result, found.rule))


def _outcome(is_harmful: bool, *, stopped: bool) -> str:
    if is_harmful:
        return "caught" if stopped else "missed"
    return "false" if stopped else "harmless"


def evaluate(examples: Iterable[SanitizationExample]) -> SanitizationEvaluation:
    """The scores of sanitization on these lines."""
    evaluation = SanitizationEvaluation()
    for example in examples:
        evaluation.add(example)
    return evaluation


@dataclass(frozen=True, slots=True)
class SanitizationExample:
    """A labelled text: the expected result, and the part of the corpus it belongs to."""

    number: int
    language: str
    expected: SanitizationResult
    text: str
    split: Split

    @property
    def is_harmful(self) -> bool:
        """Whether the line must not enter a prompt unchanged."""
        return self.expected is not SanitizationResult.PASS


def read_corpus(path: Path = PATH) -> Iterator[SanitizationExample]:
    """The lines of the corpus in order. Raises ``ValueError`` for a malformed line or an unknown result."""
    for number, (language, expected, text), split in labelled_lines(path, fields=3):
        yield SanitizationExample(number, language, SanitizationResult(expected), _ESCAPE.sub(_unescape, text), split)


def _unescape(escape: re.Match[str]) -> str:
    return chr(int(escape["code"], 16)) if escape["code"] else "\n"
