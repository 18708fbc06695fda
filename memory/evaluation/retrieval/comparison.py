"""Compares the product's search with plain BM25: by set, by category, and in the mean over sets. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from memory.evaluation.retrieval.metrics import RankedAnswer, RankingSummary, by_category

Shares = Mapping[str, float]  # recall@5, recall@10, recall@20, hit@10 and mrr


@dataclass(frozen=True)
class Comparison:
    """The figures of both searches on the same questions."""

    finclaw: RankingSummary
    bm25: RankingSummary

    @property
    def ratios(self) -> dict[str, float | None]:
        """The ratio FinClaw / BM25 of each figure."""
        return ratios(self.finclaw.shares, self.bm25.shares)

    def as_json(self) -> dict[str, Any]:
        """Both summaries and the ratios."""
        return {"finclaw": self.finclaw.as_json(), "bm25": self.bm25.as_json(), "ratio": _rounded(self.ratios)}


@dataclass(frozen=True)
class ComparisonMeans:
    """The means over sets, each set weighted the same however many questions it has."""

    finclaw: Shares
    bm25: Shares

    @property
    def ratios(self) -> dict[str, float | None]:
        """The ratio of the means, FinClaw / BM25."""
        return ratios(self.finclaw, self.bm25)

    def as_json(self) -> dict[str, Any]:
        """Both means and their ratios."""
        return {"finclaw": _rounded(self.finclaw), "bm25": _rounded(self.bm25), "ratio": _rounded(self.ratios)}


def compare_by_category(finclaw: Sequence[RankedAnswer], bm25: Sequence[RankedAnswer]) -> dict[str, Comparison]:
    """One comparison a category, sorted by name, and last one over all questions."""
    theirs = by_category(bm25)
    return {name: Comparison(summary, theirs[name]) for name, summary in by_category(finclaw).items()}


def mean_scores(comparisons: Sequence[Comparison]) -> ComparisonMeans:
    """The means over at least one set."""
    return ComparisonMeans(
        _means([comparison.finclaw for comparison in comparisons]),
        _means([comparison.bm25 for comparison in comparisons]),
    )


def ratios(ours: Shares, theirs: Shares) -> dict[str, float | None]:
    """The ratio of each figure; None where the other's is 0."""
    return {name: value / theirs[name] if theirs[name] else None for name, value in ours.items()}


def _means(summaries: Sequence[RankingSummary]) -> dict[str, float]:
    return {name: fmean(summary.shares[name] for summary in summaries) for name in summaries[0].shares}


def _rounded(figures: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 4) for name, value in figures.items()}
