"""Train the second look at names: what the encoder's token states say of a candidate that words leave doubtful.

    pip install -r requirements-bench.lock
    python -m bench.train_name_context --cache FILE --conversations FOLDER [--write]

Fitted on ``guards/sensitive/open`` but for the held-out voices, and on plain sentences that name nobody; held-out
voices mix words and context and set the threshold. ``bench.train_names``, which trains the words, comes before.
"""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.guards.sensitive.voices import held_out_voices, read_voices
from bench.name_examples import Example, first_names_alone, names_in, plain_examples
from bench.runner import set_up_django
from bench.train_topics import write_weights

if TYPE_CHECKING:
    from consent.sensitive.names.context import NameCandidate, Script

_SCRIPTS: Final[tuple[Script, ...]] = ("han", "short", "latin")
_SHARED: Final[tuple[tuple[Script, ...], ...]] = (("han", "latin"), ("short",))
"""Scripts that share a threshold."""
_MIXED_LIKE: Final[dict[Script, Script]] = {"short": "han"}
"""Too few names of two characters are held out to weigh words against context by them alone."""
LEAST_JUDGED: Final = -2.0
LEAST: Final = -5.0
"""The log odds by words from which a candidate of a trained line is shown: words have learned those lines by heart."""
PRECISION: Final = 0.97
"""Of the candidates of held-out voices that count as names."""
_SEED: Final = 11
_STRENGTH: Final = 0.003

Read = list[tuple["NameCandidate", NDArray[np.float16]]]
Found = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""The odds of candidates, and which of them are names."""
Rows = tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float64]]
"""The features of candidates, which of them are names, and their odds by words."""


class FeatureCache:
    """Features of candidates by text, kept in a file: the encoder takes long."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: dict[str, Read] = pickle.loads(file.read_bytes()) if file.exists() else {}  # noqa: S301 (our own)

    def read(self, examples: Iterable[Example], least: float) -> list[tuple[Read, Example]]:
        """Each example with those of its candidates that are names or have so many odds, and their features."""
        found = []
        for text, names in examples:
            if text not in self.known:
                self.known[text] = _features_of(text, names, least)
            found.append((self.known[text], (text, names)))
        self.file.write_bytes(pickle.dumps(self.known))
        return found


def _features_of(text: str, names: set[tuple[int, int]], least: float) -> Read:
    from consent.sensitive.names.context import features_in_context
    from consent.sensitive.names.tagger import name_candidates
    from consent.sensitive.text_folding import fold_text
    from foundation.encoder import E5Embedder

    folded = fold_text(text).text
    if len(folded) != len(text):
        return []
    candidates = [
        candidate
        for candidate in name_candidates(folded, dict.fromkeys(_SCRIPTS, -np.inf if names else least))
        if candidate.odds > least or (candidate.start, candidate.end) in names
    ]
    read = features_in_context(E5Embedder(), folded, candidates)
    return [(candidate, features.astype(np.float16)) for candidate, features in read]


def rows_of(found: Sequence[tuple[Read, Example]], script: str) -> Rows:
    """The candidates of one script."""
    chosen = [
        (features, (candidate.start, candidate.end) in names, candidate.odds)
        for read, (_, names) in found
        for candidate, features in read
        if candidate.script == script
    ]
    features, truth, odds = zip(*chosen, strict=True)
    return np.array(features, dtype=np.float32), np.array(truth), np.array(odds)


def train(cache: FeatureCache, conversations: Path) -> dict[str, NDArray[Any]]:
    """The arrays of the second look, and what held-out voices get."""
    lines = list(read_voices())
    kept = [(line.text, names_in(line)) for line in lines if line.voice in held_out_voices()]
    shown = [(line.text, names_in(line)) for line in lines if line.voice not in held_out_voices()]
    shown += first_names_alone([line for line in lines if line.voice not in held_out_voices()], random.Random(_SEED))
    judged, trained = cache.read(kept, LEAST_JUDGED), cache.read(shown, LEAST)
    trained += cache.read(plain_examples(conversations), LEAST_JUDGED)
    arrays: dict[str, NDArray[Any]] = {}
    found: dict[Script, Found] = {}
    for script in _SCRIPTS:
        like = arrays.get(f"mixture.{_MIXED_LIKE.get(script)}")
        fitted, found[script] = _fit(script, rows_of(trained, script), rows_of(judged, script), like)
        arrays |= fitted
    names = sum(len(names) for _, names in kept)
    for group in _SHARED:
        odds, truth = (np.concatenate(each) for each in zip(*(found[script] for script in group), strict=True))
        threshold = _threshold(odds, truth, names)
        for script in group:
            arrays[f"mixture.{script}"][2] -= threshold
    return arrays


def _fit(
    script: Script, trained: Rows, judged: Rows, like: NDArray[Any] | None
) -> tuple[dict[str, NDArray[Any]], Found]:
    """The arrays of one script; and the odds of words and context, and the truth, of its held-out candidates.

    Words and context are mixed as in ``like``, where that is given.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=_STRENGTH, max_iter=200).fit(*trained[:2])
    weights = model.coef_[0].astype(np.float16)
    features, truth, odds = judged
    both = np.stack([odds, features @ weights.astype(np.float32) + model.intercept_[0]], axis=1)
    if like is None:
        mixing = LogisticRegression().fit(both, truth)
        like = np.array([*mixing.coef_[0], mixing.intercept_[0]])
    print(script, "trained", len(trained[1]), "held out", len(truth), int(truth.sum()), flush=True)
    arrays = {
        f"context.{script}": weights,
        f"context.{script}.bias": np.array(model.intercept_[0], dtype=np.float32),
        f"mixture.{script}": like.copy(),
    }
    return arrays, (np.where(odds > LEAST_JUDGED, both @ like[:2] + like[2], -np.inf), truth)


def _threshold(odds: NDArray[np.float64], truth: NDArray[np.bool_], names: int) -> float:
    """The lowest odds above which candidates are names often enough."""
    order = np.argsort(-odds)
    right = np.cumsum(truth[order])
    precision = right / np.arange(1, len(order) + 1)
    for aim in (0.94, 0.96, PRECISION, 0.98, 0.99):
        reached = np.flatnonzero(precision >= aim)
        if len(reached):
            last = reached[-1]
            print(f"precision {aim}: recall {right[last] / names:.3f} odds {odds[order[last]]:.2f}", flush=True)
    return float(odds[order[np.flatnonzero(precision >= PRECISION)[-1]]])


def main() -> None:
    """Fit the second look, and write it beside the taggers' weights."""
    parser = argparse.ArgumentParser(description="Train the second look at names.")
    parser.add_argument("--cache", type=Path, required=True, help="file for the features, which take long to make")
    parser.add_argument("--conversations", type=Path, required=True, help="folder of MemoryBank and EverOS")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    set_up_django()
    arrays = train(FeatureCache(given.cache), given.conversations)
    if given.write:
        from consent.sensitive.names.weights import WEIGHTS_FILE

        write_weights(dict(np.load(WEIGHTS_FILE)) | arrays, WEIGHTS_FILE, compress=True)


if __name__ == "__main__":
    main()
