"""Train the taggers of names given as such, and say what they are worth on voices they have not seen.

    pip install faker jieba opencc-python-reimplemented scikit-learn   # only training needs them
    python -m bench.train_names

Fitted on ``guards/sensitive/open``; a voice and the one that mirrors it in the other language are held out together.
Deterministic.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.guards.sensitive.voices import Line, held_out_voices, read_voices
from bench.name_examples import Example, examples, plain_examples
from bench.name_statistics import statistics
from bench.runner import set_up_django
from bench.train_topics import write_weights

_BATCH: Final = 200
_LEAST_WEIGHT: Final = 2
_BUCKETS: Final = 1 << 20
_HAN_STRENGTH: Final = 0.5
_LATIN_STRENGTH: Final = 1.0


def fit(rows: list[NDArray[np.int64]], labels: list[bool], strength: float) -> tuple[NDArray[np.float32], float]:
    """Logistic regression over hashed features: the weights of the buckets, and the bias."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    pointers = np.cumsum([0, *(len(row) for row in rows)])
    columns = np.concatenate(rows)
    inputs = csr_matrix((np.ones(len(columns), np.float32), columns, pointers), shape=(len(rows), _BUCKETS))
    inputs.sum_duplicates()
    model = LogisticRegression(C=strength, solver="liblinear", max_iter=200, random_state=7)
    model.fit(inputs, np.array(labels))
    return model.coef_[0].astype(np.float32), float(model.intercept_[0])


def han_rows(texts: Iterable[Example]) -> tuple[list[NDArray[np.int64]], list[bool]]:
    """The features of the Chinese candidates, and which of them are names."""
    from consent.sensitive.names.han_features import PADDING, han_candidates
    from consent.sensitive.text_folding import fold_text

    rows, labels = [], []
    readable = [(folded, names) for text, names in texts if len(folded := fold_text(text).text) == len(text)]
    for first in range(0, len(readable), _BATCH):  # many texts at once, as far apart as if each stood alone
        joined, known = "", set()
        for text, names in readable[first : first + _BATCH]:
            known |= {(len(joined) + start, len(joined) + end) for start, end in names}
            joined += text + "\n" * PADDING
        found = han_candidates(joined)
        for start, end, buckets in zip(found.starts.tolist(), found.ends.tolist(), found.buckets, strict=True):
            rows.append(buckets)
            labels.append((start, end) in known)
    return rows, labels


def latin_rows(texts: Iterable[Example]) -> tuple[list[NDArray[np.int64]], list[bool]]:
    """The features of the candidates in Latin script, and which of them are names."""
    from consent.sensitive.names.latin_features import latin_candidates
    from consent.sensitive.text_folding import fold_text

    rows, labels = [], []
    for text, names in texts:
        folded = fold_text(text).text
        if len(folded) != len(text):
            continue
        for candidate in latin_candidates(folded):
            rows.append(np.array(candidate.buckets))
            labels.append((candidate.start, candidate.end) in names)
    return rows, labels


def _quantized(weights: NDArray[np.float32], bias: float, name: str) -> dict[str, NDArray[Any]]:
    scale = float(np.abs(weights).max()) / 127
    rounded = np.round(weights / scale).astype(np.int8)
    rounded[np.abs(rounded) < _LEAST_WEIGHT] = 0
    return {
        f"{name}.weights": rounded,
        f"{name}.scale": np.array([scale, bias], dtype=np.float32),
    }


def train(lines: Sequence[Line], plain: Sequence[Example], *, write: bool = True) -> dict[str, NDArray[Any]]:
    """The arrays of both taggers, fitted on these lines."""
    from consent.sensitive.names import weights as names

    arrays = statistics([*(line.text for line in lines), *(text for text, _ in plain)])
    fitted = cache(lambda: _unpacked(arrays))
    for module in ("han_features", "han_words", "foreign_spans", "latin_features"):
        setattr(importlib.import_module(f"consent.sensitive.names.{module}"), "name_weights", fitted)  # noqa: B010
    found = [*examples(lines), *plain]
    for name, rows_of, strength in (("han", han_rows, _HAN_STRENGTH), ("latin", latin_rows, _LATIN_STRENGTH)):
        rows, labels = rows_of(found)
        print(name, len(rows), sum(labels))
        arrays |= _quantized(*fit(rows, labels, strength), name)
    if write:
        write_weights(dict(np.load(names.WEIGHTS_FILE)) | arrays, names.WEIGHTS_FILE, compress=True)
    return arrays


def _unpacked(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return arrays | {
        name: np.unpackbits(array).astype(bool) for name, array in arrays.items() if name.startswith("words.")
    }


def main() -> None:
    """Fit the taggers and write them with their hash into the data card."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="fit on the held-out voices too")
    parser.add_argument("--conversations", type=Path, help="folder of MemoryBank and EverOS, for plain sentences")
    parsed = parser.parse_args()
    set_up_django()
    lines = [line for line in read_voices() if parsed.all or line.voice not in held_out_voices()]
    train(lines, plain_examples(parsed.conversations))


if __name__ == "__main__":
    main()
