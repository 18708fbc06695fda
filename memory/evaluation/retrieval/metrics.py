"""Recall, hits and reciprocal rank of ranked answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

CUTS = (5, 10, 20)
HIT_CUT = 10
OVERALL = "overall"


@dataclass(frozen=True)
class RankedAnswer:
    """A question; ``ranks`` holds the rank of each piece of evidence, from 1, None where it was not found."""

    category: str
    ranks: tuple[int | None, ...]
    milliseconds: float


@dataclass(frozen=True)
class RankingSummary:
    """Means over questions. ``recall`` maps k to the share of the evidence among the first k."""

    questions: int
    recall: Mapping[int, float]
    hit: float
    mrr: float
    p50_ms: float
    p95_ms: float

    @property
    def shares(self) -> dict[str, float]:
        """The quality figures by their JSON names, in the order of tables."""
        recalls = {f"recall@{cut}": value for cut, value in self.recall.items()}
        return {**recalls, f"hit@{HIT_CUT}": self.hit, "mrr": self.mrr}

    def as_json(self) -> dict[str, float]:
        """The figures as flat JSON, with the names used in tables."""
        shares = {name: round(value, 4) for name, value in self.shares.items()}
        times = {"p50_ms": round(self.p50_ms, 2), "p95_ms": round(self.p95_ms, 2)}
        return {"questions": self.questions, **shares, **times}


def ranks_of(found: Sequence[str], evidence: Sequence[str]) -> tuple[int | None, ...]:
    """The rank of each piece of evidence among what was found, from 1."""
    places = {ref: place for place, ref in reversed(list(enumerate(found, 1)))}
    return tuple(places.get(ref) for ref in evidence)


def summarize(answers: Sequence[RankedAnswer]) -> RankingSummary:
    """The means of at least one answer. A question without any evidence found has the reciprocal rank 0."""
    times = [answer.milliseconds for answer in answers]
    return RankingSummary(
        questions=len(answers),
        recall={cut: fmean(_recall(answer.ranks, cut) for answer in answers) for cut in CUTS},
        hit=fmean(_recall(answer.ranks, HIT_CUT) > 0 for answer in answers),
        mrr=fmean(_reciprocal(answer.ranks) for answer in answers),
        p50_ms=percentile(times, 50),
        p95_ms=percentile(times, 95),
    )


def by_category(answers: Sequence[RankedAnswer]) -> dict[str, RankingSummary]:
    """One summary a category, sorted by name, and one over all."""
    names = sorted({answer.category for answer in answers})
    parts = {name: [answer for answer in answers if answer.category == name] for name in names}
    return {name: summarize(part) for name, part in parts.items()} | {OVERALL: summarize(answers)}


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the smallest value that ``percent`` of them do not pass."""
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def _recall(ranks: Sequence[int | None], cut: int) -> float:
    return sum(rank is not None and rank <= cut for rank in ranks) / len(ranks)


def _reciprocal(ranks: Sequence[int | None]) -> float:
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)
