"""The rerank's factors are the seed's tables (seed B §2.3.2.4 and §4.1 step 1.3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.retrieval import formula


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.2), (7, 1.2), (8, 1.0), (30, 1.0), (31, 0.8), (90, 0.8), (91, 0.6), (4000, 0.6)]
)
def test_recency(days: int, expected: float) -> None:
    assert formula.recency_boost(timedelta(days=days)) == expected


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.0), (30, 1.0), (31, 0.85), (90, 0.85), (91, 0.6), (180, 0.6), (181, 0.3)]
)
def test_decay(days: int, expected: float) -> None:
    assert formula.decay_factor(timedelta(days=days)) == expected
    assert formula.confidence_effective(0.5, timedelta(days=days)) == pytest.approx(0.5 * expected)


@pytest.mark.parametrize(
    ("uses", "rate", "expected"),
    [(0, 1.0, 1.0), (4, 1.0, 1.0), (5, 0.71, 1.1), (5, 0.7, 1.0), (9, 0.3, 1.0), (9, 0.29, 0.7)],
)
def test_frequency(uses: int, rate: float, expected: float) -> None:
    assert formula.frequency_factor(uses, rate) == expected


@pytest.mark.parametrize(
    ("provenance", "expected"), [("observation", 0.6), ("analysis", 0.8), ("confirmed_by_user", 1.0)]
)
def test_provenance(provenance: str, expected: float) -> None:
    signals = formula.ItemSignals(timedelta(0), timedelta(0), 0.5, provenance)
    assert formula.rerank_factors(signals)["provenance"] == expected
