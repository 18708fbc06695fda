"""Renders an evaluation as tables, with one line each for FinClaw, plain BM25 and their ratio."""

from __future__ import annotations

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.table import Table

from memory.evaluation.retrieval.comparison import Comparison, ComparisonMeans, Shares
from memory.evaluation.retrieval.metrics import CUTS, HIT_CUT, RankingSummary

_COLUMNS = ("questions", *(f"R@{cut}" for cut in CUTS), f"hit@{HIT_CUT}", "MRR", "p50 ms", "p95 ms")
BM25 = "  BM25"
RATIO = "  FinClaw / BM25"
MEAN = "mean over sets"


def table_of(
    title: str, first: str, comparisons: Mapping[str, Comparison], means: ComparisonMeans | None = None
) -> Table:
    """Three lines a comparison under the heading ``first``, and three of the means where given."""
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column(first)
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for name, comparison in comparisons.items():
        table.add_row(name, *_summary_cells(comparison.finclaw))
        table.add_row(BM25, *_summary_cells(comparison.bm25))
        table.add_row(RATIO, "", *_ratio_cells(comparison.ratios))
    if means:
        table.add_section()
        table.add_row(MEAN, "", *_share_cells(means.finclaw))
        table.add_row(BM25, "", *_share_cells(means.bm25))
        table.add_row(RATIO, "", *_ratio_cells(means.ratios))
    return table


def _summary_cells(summary: RankingSummary) -> list[str]:
    times = [f"{milliseconds:.1f}" for milliseconds in (summary.p50_ms, summary.p95_ms)]
    return [str(summary.questions), *_share_cells(summary.shares), *times]


def _share_cells(shares: Shares) -> list[str]:
    return [f"{share:.3f}" for share in shares.values()]


def _ratio_cells(ratios: Mapping[str, float | None]) -> list[str]:
    return ["–" if ratio is None else f"{ratio:.2f}x" for ratio in ratios.values()]
