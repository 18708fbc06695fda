"""Train the gate of learning on the open everyday voices, and say what it is worth on voices it was not trained on.

    pip install -r requirements-bench.lock
    python -m bench.train_gate --cache FOLDER            # measure, leaving voices out
    python -m bench.train_gate --cache FOLDER --write    # and write memory/evolution/gate/data

Voices are left out in turn, one English and one Chinese at once; calibration and thresholds come from the chances that
each sentence gets while its voice is left out. With the same versions the same file comes out each time.
"""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from bench.everyday.labels import read_voices
from bench.gate_fit import Array, Calibration, Rows, calibrate, fit, hashed_rows, shape_rows, threshold_at
from bench.gate_units import Unit, units
from foundation.embeddings import E5Embedder
from foundation.embeddings.static_vectors import static_vectors
from foundation.encoder.e5 import E5_DIMENSIONS
from foundation.language import language_of
from memory.evolution.gate.classifier import LEAST_OWN
from memory.evolution.gate.features import HASHED
from memory.evolution.gate.types import TEACHING
from memory.evolution.gate.weights import DATA_CARD, LANGUAGES, WEIGHTS_FILE, Vectors

VECTOR_LENGTH: Final = {"light": 1.0, "e5": 4.0}
"""About which a vector less the mean is brought to: a regularised weight needs entries of about the size of the other
features.
"""
PART_DIMENSIONS: Final = E5_DIMENSIONS
"""A longer vector is made of such parts."""
PENALTY: Final = 2.0
MOST_STEPS: Final = 60
PRECISIONS: Final = (0.95, 0.75)
"""At which a sentence is remembered, and from which it is asked about."""
STORY_VOICES: Final = (
    "_esl", "_grandpa", "_lawyer", "_mechanic", "_nurse", "_quant", "_student", "_trader", "_fenxishi", "_haigui",
    "_hushi", "_kuaidi", "_laoshi", "_mama", "_shengyiren", "_xuesheng",
)  # fmt: skip
"""Those that write as characters in a story do. The others are plain, as most of what people type is."""
PLAIN_WEIGHT: Final = 2.0
"""A sentence of a plain voice counts for as many."""


@dataclass(frozen=True)
class Data:
    """Units with their features; ``words`` are as ``hashed_rows`` answers them, ``vectors`` as the embedder made them,
    shape (len(units), dimensions).
    """

    units: Sequence[Unit]
    words: Any
    vectors: Array
    length: float

    @cached_property
    def rows(self) -> Rows:
        """All features; the vectors less their mean."""
        vectors = (self.vectors - self.mean) * self.stretch
        return Rows(self.words, np.hstack([shape_rows(self.units), vectors]).astype(np.float32))

    @cached_property
    def mean(self) -> Array:
        """The mean vector."""
        return np.asarray(self.vectors.mean(axis=0), dtype=np.float16).astype(np.float32)

    @cached_property
    def stretch(self) -> Array:
        """By what each entry is multiplied, shape (dimensions,): one number for each part of the vector."""
        parts = np.split(self.vectors - self.mean, self.vectors.shape[1] // PART_DIMENSIONS or 1, axis=1)
        factors = [self.length / np.sqrt((part**2).sum(axis=1).mean()) for part in parts]
        return np.repeat(np.array(factors, np.float32), self.vectors.shape[1] // len(parts))

    @cached_property
    def targets(self) -> Array:
        """Whether each unit teaches, is the speaker's own claim, and changes something: shape (len(units), 3)."""
        rows = [(unit.teaches, unit.is_own or False, unit.changes) for unit in self.units]
        return np.array(rows, dtype=np.float32)

    @cached_property
    def weights(self) -> Array:
        """For how many sentences each unit counts."""
        of_story = [unit.voice.endswith(STORY_VOICES) for unit in self.units]
        return np.where(of_story, np.float32(1), np.float32(PLAIN_WEIGHT))

    @cached_property
    def counted(self) -> Array:
        """How much a unit counts for each target: a question is neither its speaker's own claim nor another's."""
        rows = [(True, unit.is_own is not None, True) for unit in self.units]
        return np.array(rows, dtype=np.float32) * self.weights[:, None]

    @cached_property
    def kinds(self) -> Array:
        """Whether each unit holds each kind that teaches: shape (len(units), 7)."""
        return np.stack([unit.shares[: len(TEACHING)] > 0 for unit in self.units]).astype(np.float32)

    @cached_property
    def chinese(self) -> NDArray[np.bool_]:
        """Which are read as Chinese."""
        return np.array([language_of(unit.sentence.text) == "zh" for unit in self.units])

    def turns(self, count: int) -> NDArray[np.int64]:
        """In which of ``count`` turns a unit's voice is left out."""
        voices = sorted({unit.voice for unit in self.units})
        of_language = {voice: sum(other < voice and other[:2] == voice[:2] for other in voices) for voice in voices}
        return np.array([of_language[unit.voice] % count for unit in self.units])


def vectors_of(found: Sequence[Unit], vectors: Vectors, cache: Path) -> Array:
    """The vectors of the units' sentences, e5's made once."""
    texts = [unit.sentence.bare for unit in found]
    if vectors == "light":
        return np.stack([static_vectors().vector(text) for text in texts])
    file = cache / f"form_{sha256(chr(0).join(texts).encode()).hexdigest()[:16]}.npy"
    if not file.exists():
        np.save(file, E5Embedder().embed_with_form(texts))
    return np.asarray(np.load(file), dtype=np.float32)


def left_out(data: Data, count: int) -> Array:
    """The log odds of ``targets`` by weights that saw nothing of a unit's voice."""
    turns = data.turns(count)
    odds = np.zeros_like(data.targets)
    for turn in range(count):
        out = turns == turn
        weights = fit(data.rows[~out], data.targets[~out], data.counted[~out], PENALTY, MOST_STEPS)
        odds[out] = data.rows[out].odds(weights)
    return odds


def _weights(data: Data) -> Array:
    teaching = data.targets[:, 0] > 0
    judging = fit(data.rows, data.targets, data.counted, PENALTY, MOST_STEPS)
    kinds = data.kinds[teaching]
    counted = np.broadcast_to(data.weights[teaching, None], kinds.shape)
    return np.hstack([judging, fit(data.rows[teaching], kinds, counted, PENALTY, MOST_STEPS)])


def arrays(data: Data, count: int) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """What the file holds of one head, and the rows of the report."""
    odds = left_out(data, count)
    calibrations, thresholds, report = [], [], []
    for language in LANGUAGES:
        of = data.chinese == (language == "zh")
        fitted = [_calibrated(data, odds, of, at) for at in range(odds.shape[1])]
        chances = [calibration(odds[of, at]) for at, calibration in enumerate(fitted)]
        truth = data.targets[of, 0] > 0
        own = chances[1] >= LEAST_OWN
        plainly = data.weights[of] > 1
        limits = [
            threshold_at(chance[plainly], truth[plainly], precision)
            for chance, precision in zip((np.where(own, chances[0], 0), chances[0]), PRECISIONS, strict=True)
        ]
        calibrations.append([(calibration.slope, calibration.offset) for calibration in fitted])
        thresholds.append(limits)
        for plain in (False, True):
            those = plainly == plain
            name = f"{language} {'plain' if plain else 'coloured'}"
            report.append(_row(name, [chance[those] for chance in chances], data.targets[of][those] > 0, limits))
    weights = _weights(data)
    scales = np.abs(weights[:HASHED]).max(axis=0) / 127
    return {
        "hashed": np.rint(weights[:HASHED] / scales).astype(np.int8),
        "scales": scales.astype(np.float32),
        "dense": weights[HASHED:-1].astype(np.float16),
        "bias": weights[-1],
        "mean": data.mean.astype(np.float16),
        "stretch": data.stretch,
        "calibrations": np.array(calibrations),
        "thresholds": np.array(thresholds),
    }, report


def _calibrated(data: Data, odds: Array, of: NDArray[np.bool_], at: int) -> Calibration:
    counted = of & (data.counted[:, at] > 0)
    return calibrate(odds[counted, at], data.targets[counted, at] > 0, data.weights[counted])


def _row(name: str, chances: Sequence[NDArray[np.float64]], truths: NDArray[np.bool_], limits: Sequence[float]) -> str:
    truth, own = truths[:, 0], chances[1] >= LEAST_OWN
    cells = [name, f"{area(chances[0], truth):.3f}"]
    for limit, passed in zip(limits, [(chances[0] >= limits[0]) & own, chances[0] >= limits[1]], strict=True):
        cells += [
            f"{limit:.2f}",
            f"{truth[passed].mean() if passed.any() else 0:.3f}",
            f"{truth[passed].sum() / truth.sum():.3f}",
        ]
    return " | ".join([*cells, f"{area(chances[1], truths[:, 1]):.3f}", f"{area(chances[2], truths[:, 2]):.3f}"])


def area(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The area under the ROC curve: how often a true one is above a false one."""
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1
    right = int(truth.sum())
    return float((ranks[truth].sum() - right * (right + 1) / 2) / (right * (len(truth) - right)))


def write(named: dict[str, NDArray[Any]]) -> str:
    """Write the weights, and their hash into the data card; answers the hash."""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED, compresslevel=9) as file:
        for name, array in sorted(named.items()):
            part = io.BytesIO()
            np.save(part, array, allow_pickle=False)
            file.writestr(ZipInfo(f"{name}.npy"), part.getvalue(), ZIP_DEFLATED, 9)  # ZipInfo's own date: always one
    WEIGHTS_FILE.write_bytes(content.getvalue())
    digest = sha256(content.getvalue()).hexdigest()
    card = DATA_CARD.read_text(encoding="utf-8")
    DATA_CARD.write_text(re.sub(r"`[0-9a-f]{64}`", f"`{digest}`", card), encoding="utf-8")
    return digest


def main() -> None:
    """Print a row for each head and language: AUC, then threshold, precision and recall of
    each band, AUC of own claim and of change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="a folder for the vectors")
    parser.add_argument("--turns", type=int, default=10, help="in how many turns the voices are left out")
    parser.add_argument("--heads", nargs="+", default=["light", "e5"], choices=["light", "e5"])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    named: dict[str, NDArray[Any]] = {}
    found = units(read_voices("open"))
    words = hashed_rows(found)
    for vectors in given.heads:
        data = Data(found, words, vectors_of(found, vectors, given.cache), VECTOR_LENGTH[vectors])
        head, report = arrays(data, given.turns)
        named |= {f"{vectors}.{name}": array for name, array in head.items()}
        print(*(f"{vectors} | {row}" for row in report), sep="\n", flush=True)
    if given.write:
        print(write(named))


if __name__ == "__main__":
    main()
