"""Measures sanitization on its labelled corpus, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from finclaw.brain.sanitization.corpus import SanitizationExample
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SanitizationResult


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
