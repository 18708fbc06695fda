"""Measures precision and recall of the sensitive input classifier on a labelled corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from consent.sensitive.classifier import classify_sensitive
from consent.sensitive.corpus import SensitiveExample
from consent.sensitive.types import Finding, SensitiveKind


@dataclass(frozen=True, slots=True)
class SensitiveMistake:
    """A misread line of the corpus: findings missed, and false alarms."""

    example: SensitiveExample
    missed: tuple[Finding, ...]
    false: tuple[Finding, ...]


@dataclass
class SensitiveScore:
    """Counts of findings. A finding is right if kind, start and end all match: half a card number is a miss."""

    right: int = 0
    missed: int = 0
    false: int = 0

    @property
    def precision(self) -> float:
        """The share of what was found that is there; 1.0 where nothing was found."""
        return self.right / (self.right + self.false) if self.right + self.false else 1.0

    @property
    def recall(self) -> float:
        """The share of what is there that was found; 1.0 where nothing is."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


@dataclass
class SensitiveEvaluation:
    """Scores by name (``all``, each part of the corpus, each language, each kind), and the lines read wrongly."""

    scores: dict[str, SensitiveScore] = field(default_factory=dict)
    mistakes: list[SensitiveMistake] = field(default_factory=list)
    lines: Counter[str] = field(default_factory=Counter)

    def passes(self, floor: float) -> bool:
        """Whether precision and recall reach ``floor`` over all, and in either part and language by itself."""
        gated = [score for name, score in self.scores.items() if name.split()[-1] not in set(SensitiveKind)]
        return all(min(score.precision, score.recall) >= floor for score in gated)

    def _count(self, example: SensitiveExample, finding: Finding, outcome: str) -> None:
        kind = finding.kind.value
        for name in ("all", example.split, example.language, kind, f"{example.language} {kind}"):
            score = self.scores.setdefault(name, SensitiveScore())
            setattr(score, outcome, getattr(score, outcome) + 1)

    def add(self, example: SensitiveExample) -> None:
        """Classify one line and count its right, missed and false findings."""
        self.lines.update(("all", example.split, example.language))
        expected, found = set(example.findings), set(classify_sensitive(example.text))
        for outcome, findings in (
            ("right", expected & found),
            ("missed", expected - found),
            ("false", found - expected),
        ):
            for finding in findings:
                self._count(example, finding, outcome)
        if expected != found:
            self.mistakes.append(SensitiveMistake(example, tuple(expected - found), tuple(found - expected)))


def evaluate_classifier(examples: Iterable[SensitiveExample]) -> SensitiveEvaluation:
    """The scores of the classifier on these lines."""
    evaluation = SensitiveEvaluation()
    for example in examples:
        evaluation.add(example)
    return evaluation
