"""Precision, recall and forbidden hits of recalled statements, and the gate they must pass. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from memory.evaluation.dataset import EvaluationQuestion

K = 8  # as many as are retrieved for an answer
OVERALL = "overall"


@dataclass(frozen=True)
class RecalledStatement:
    """Something recalled.

    ``statement`` is the id of the statement it came from, empty if that is not in the set; ``marked`` is true if the
    prompt shows it as no longer true, or as only supposed.
    """

    kind: str
    statement: str
    marked: bool = False


@dataclass(frozen=True)
class RecallAnswer:
    """A question, and what was recalled for it, best first. ``intent`` is how the product classified it."""

    persona: str
    language: str
    question: EvaluationQuestion
    recalled: tuple[RecalledStatement, ...]
    intent: str

    @property
    def statements(self) -> tuple[str, ...]:
        """The first ``K`` statements recalled, each once, however many turns and items stand for it."""
        return tuple(dict.fromkeys(statement.statement for statement in self.recalled))[:K]

    @property
    def precision(self) -> float | None:
        """The share of recalled statements that were expected; None without expected or recalled ones.

        It is also None for a question about the past, whose search always fills its list, even with weak hits.
        """
        if not self.question.expected or not self.statements or self.question.is_about_the_past:
            return None
        return len(self._expected_found) / len(self.statements)

    @property
    def recall(self) -> float | None:
        """The share of expected statements that were recalled; None where none is expected."""
        if not self.question.expected:
            return None
        return len(self._expected_found) / len(self.question.expected)

    @property
    def missed(self) -> tuple[str, ...]:
        """The expected statements that were not recalled."""
        return tuple(statement for statement in self.question.expected if statement not in self._expected_found)

    def forbidden_hits(self, kind: str = "") -> tuple[str, ...]:
        """The forbidden statements that were recalled as true; with ``kind`` among hits of that kind."""
        among = {
            statement.statement
            for statement in self.recalled
            if not statement.marked and (not kind or statement.kind == kind)
        }
        return tuple(statement for statement in self.question.forbidden if statement in among)

    @property
    def _expected_found(self) -> set[str]:
        return set(self.question.expected) & set(self.statements)


@dataclass(frozen=True)
class RecallSummary:
    """Means over questions.

    ``forbidden`` is the share of the questions with forbidden statements for which one was recalled;
    ``forbidden_memories`` counts only recalled memories, not old messages.
    """

    questions: int
    precision: float | None
    recall: float | None
    forbidden: float | None
    forbidden_memories: float | None
    intent: float

    def as_json(self) -> dict[str, float | None]:
        """The summary as JSON, rounded, with the names used in tables."""
        figures = {
            f"precision@{K}": self.precision, f"recall@{K}": self.recall, "forbidden": self.forbidden,
            "forbidden_memories": self.forbidden_memories, "intent": self.intent,
        }  # fmt: skip
        return {"questions": self.questions} | {
            name: None if value is None else round(value, 4) for name, value in figures.items()
        }


@dataclass(frozen=True)
class RecallGate:
    """The bounds that a change of recall must reach, all at once, to be released."""

    min_precision: float
    min_recall: float
    max_forbidden: float
    max_forbidden_memories: float

    def objections(self, summary: RecallSummary) -> tuple[str, ...]:
        """The names of the figures beyond their bound; none where the change may pass."""
        found = {
            "precision": summary.precision is not None and summary.precision < self.min_precision,
            "recall": summary.recall is not None and summary.recall < self.min_recall,
            "forbidden": (summary.forbidden or 0.0) > self.max_forbidden,
            "forbidden_memories": (summary.forbidden_memories or 0.0) > self.max_forbidden_memories,
        }
        return tuple(name for name, objects in found.items() if objects)


def summarize(answers: Sequence[RecallAnswer]) -> RecallSummary:
    """The means over at least one answer."""
    strict = [answer for answer in answers if answer.question.forbidden]
    return RecallSummary(
        questions=len(answers),
        precision=_mean(answer.precision for answer in answers),
        recall=_mean(answer.recall for answer in answers),
        forbidden=_mean(float(bool(answer.forbidden_hits())) for answer in strict),
        forbidden_memories=_mean(float(bool(answer.forbidden_hits("item"))) for answer in strict),
        intent=fmean(answer.intent == answer.question.intent for answer in answers),
    )


def by_key(answers: Sequence[RecallAnswer], key: Callable[[RecallAnswer], str]) -> Mapping[str, RecallSummary]:
    """A summary for each value of ``key``, sorted by it."""
    names = sorted({key(answer) for answer in answers})
    return {name: summarize([answer for answer in answers if key(answer) == name]) for name in names}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
