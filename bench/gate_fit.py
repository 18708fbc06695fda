"""Fitting the gate: logistic regressions over hashed n-grams, shape and vectors, and its calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from bench.gate_units import Unit
from memory.evolution.gate.features import HASHED, hashed, shape

Matrix = Any  # scipy has no types of its own for sparse rows
Array = NDArray[np.float32]

_RECENT: Final = 6
"""Steps that the optimiser remembers."""


def hashed_rows(units: Sequence[Unit]) -> Matrix:
    """The n-gram features of the units, sparse, shape (len(units), HASHED)."""
    rows = [hashed(unit.sentence) for unit in units]
    starts = np.concatenate([[0], np.cumsum([len(ids) for ids, _ in rows])])
    ids, values = np.concatenate([ids for ids, _ in rows]), np.concatenate([values for _, values in rows])
    return sparse.csr_matrix((values, ids, starts), shape=(len(units), HASHED))


def shape_rows(units: Sequence[Unit]) -> Array:
    """The shape features of the units, shape (len(units), SHAPE)."""
    return np.stack([shape(unit.sentence) for unit in units])


@dataclass(frozen=True)
class Rows:
    """The features of units: ``hashed`` n-grams, sparse, and ``dense`` ones, shapes (n, buckets) and (n, others)."""

    hashed: Matrix
    dense: Array

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Rows:
        return Rows(self.hashed[chosen], self.dense[chosen])

    def odds(self, weights: Array) -> Array:
        """The log odds by weights as ``fit`` answers them, shape (n, targets)."""
        split = self.hashed.shape[1]
        words = self.hashed @ weights[:split]
        return np.asarray(words + self.dense @ weights[split:-1] + weights[-1], dtype=np.float32)


def fit(rows: Rows, targets: Array, counted: Array, penalty: float, most_steps: int) -> Array:
    """The weights of one logistic regression for each column of ``targets``, intercepts last: (columns + 1, targets).

    ``counted`` says how much each row counts for each target. L-BFGS on the log loss with ``penalty`` times half the
    squared weights, the intercepts not penalised; the same on every run of one machine.
    """
    columns, wanted = rows.hashed.shape[1] + rows.dense.shape[1], targets.shape[1]
    turned = rows.hashed.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(columns + 1, wanted).astype(np.float32)
        odds = rows.odds(weights)
        wrong = counted * (1 / (1 + np.exp(-odds)) - targets)
        missed = counted * (np.logaddexp(0, odds) - targets * odds)
        penalised = penalty * float((weights[:-1].astype(np.float64) ** 2).sum()) / 2
        slope = np.vstack([turned @ wrong, rows.dense.T @ wrong, wrong.sum(axis=0, keepdims=True)])
        slope[:-1] += penalty * weights[:-1]
        return float(missed.sum(dtype=np.float64)) + penalised, slope.ravel().astype(np.float64)

    start = np.zeros((columns + 1) * wanted)
    options = {"maxiter": most_steps, "maxcor": _RECENT}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x.reshape(columns + 1, wanted), dtype=np.float32)


@dataclass(frozen=True)
class Calibration:
    """Platt's: a chance is the logistic of ``slope`` times the log odds plus ``offset``."""

    slope: float
    offset: float

    def __call__(self, odds: Array) -> NDArray[np.float64]:
        return np.asarray(1 / (1 + np.exp(-(self.slope * odds + self.offset))))


def calibrate(odds: Array, truth: NDArray[np.bool_], weights: Array) -> Calibration:
    """The logistic fit of the truth to the log odds of sentences that were not trained on."""
    model = LogisticRegression(C=1e3).fit(odds[:, None], truth, sample_weight=weights)
    return Calibration(float(model.coef_[0, 0]), float(model.intercept_[0]))


def threshold_at(chances: NDArray[np.float64], truth: NDArray[np.bool_], precision: float) -> float:
    """The lowest chance from which at least this share is true; above 1 where there is none."""
    order = np.argsort(-chances, kind="stable")
    right = np.cumsum(truth[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(right >= precision)
    return float(chances[order[enough[-1]]]) if len(enough) else 1.01
