"""Fit which earlier statement a new one changes (``memory/evolution/change_target.py``) on the open everyday voices.

    python -m bench.train_target            # leave-one-voice-out report, then weights fitted on all open voices
    python -m bench.train_target --report   # the report alone

A message labelled ``!:lives in Leeds`` changes an earlier statement, which the label gives in a few words. Where the
voice says it in so many words further up, that sentence is the one meant; else the label stands for it. The other
alternatives are what the voice said before, and labels of other messages. Each change is tried among 1, 3, 10 and all
(at most about fifty, the likeliest by words, vectors and time) of them, with what it changes and without.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.everyday.labels import LabelledMessage, LabelledSentence, read_voices
from bench.report import publish
from foundation.embeddings.local_embedder import LocalEmbedder
from foundation.embeddings.ports import Embedder
from foundation.encoder.e5 import E5Embedder
from memory.evolution import change_target
from memory.evolution.change_target import FEATURES, MESSAGES_COUNTED, TERMS_FILE, WEIGHTS_FILE, Encoder, TargetWeights

Floats = NDArray[np.float32]
EMBEDDERS: Final[dict[Encoder, type[Embedder]]] = {"e5": E5Embedder, "light": LocalEmbedder}
DIMENSIONS: Final = 96
"""Kept of the whitened vectors."""
SHRINKAGE: Final = 0.3
"""Of the mean variance, added to every one before whitening (Ledoit and Wolf 2004)."""
RIDGE: Final = 3.0
L2: Final = 1e-3
STEPS: Final = 150
FOLDS: Final = 8
COMMON_FROM: Final = 5  # sentences
NOT_STATED: Final = frozenset({"question", "task", "quotation or fiction"})
NO_STATEMENTS_KEPT: Final = 0.1
"""Share of the sentences that teach nothing which stay among the alternatives: the gate lets few of them through."""
LABELS_KEPT: Final = 0.25
"""Share of the labels of other changes that stand among the alternatives."""
STORED_AS: Final = {
    "mean": np.float16, "projection": np.float16, "change_map": np.float16, "coefficients": np.float32,
    "none": np.float32,
}  # fmt: skip
POOLS: Final = (1, 3, 10)
MARGINS: Final = (0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Said:
    """A sentence of a voice, and the number of its message."""

    message: int
    sentence: LabelledSentence

    @property
    def text(self) -> str:
        """Its words."""
        return self.sentence.text.strip()


@dataclass(frozen=True)
class LabelledChange:
    """A sentence that changes something, and what it may change: ``texts[0]`` is right, said ``since[i]`` messages
    before. ``is_quoted`` where that is the voice's own sentence and not the label's words.
    """

    voice: str
    text: str
    label: str
    texts: tuple[str, ...]
    since: tuple[int, ...]
    is_quoted: bool


Trial = tuple[Floats, bool]  # features of the alternatives, and whether the first of them is right (else none is)
Vectors = dict[str, Floats]


def changes_of(messages: Sequence[LabelledMessage], vectors: Vectors, random: Random) -> Iterator[LabelledChange]:
    """The labelled changes of one voice, in order."""
    said = [Said(number, sentence) for number, message in enumerate(messages) for sentence in message.sentences]
    labels = [(sentence.message, sentence.sentence.target.strip()) for sentence in said if sentence.sentence.target]
    gone: set[str] = set()
    for at, sentence in enumerate(said):
        label = sentence.sentence.target.strip()
        if not label:
            continue
        likeness = LabelLikeness(label, vectors)
        quoted = _quoted(likeness, [earlier for earlier in said[:at] if earlier.sentence.teaches])
        since = sentence.message - quoted.message if quoted else random.choice([1, 2, 3, 5, 10, 20, 40, 80, 120, 200])
        right = (quoted.text if quoted else label, max(since, 1))
        others = {
            earlier.text: sentence.message - earlier.message
            for earlier in said[:at]
            if earlier.message < sentence.message and earlier.text not in gone and may_be_meant(earlier, random)
        }
        of_others = [words for number, words in labels if number != sentence.message and random.random() < LABELS_KEPT]
        others |= {words: random.randint(1, 300) for words in of_others}
        rest = [(text, age) for text, age in others.items() if text != right[0] and not likeness.says_the_same(text)]
        texts, ages = zip(right, *rest, strict=True)
        yield LabelledChange(messages[0].voice, sentence.text, label, texts, ages, quoted is not None)
        gone |= {quoted.text} if quoted else set()


@dataclass(frozen=True)
class LabelLikeness:
    """How near sentences are to the words of a label: by the share of its telling terms, and by vectors."""

    label: str
    vectors: Vectors

    def shared(self, text: str) -> float:
        wanted = change_target.text_features(self.label)
        terms = wanted.terms & change_target.text_features(text).terms
        return sum(map(change_target.term_weight, terms)) / (wanted.weight or 1)

    def cosine(self, text: str) -> float:
        return float(self.vectors[self.label] @ self.vectors[text])

    def says_the_same(self, text: str) -> bool:
        return self.shared(text) >= 0.55 or self.cosine(text) >= 0.7


def _quoted(likeness: LabelLikeness, earlier: Sequence[Said]) -> Said | None:
    """The sentence that a label gives in a few words, where one stands out clearly."""
    scored = [(likeness.shared(candidate.text), likeness.cosine(candidate.text), candidate) for candidate in earlier]
    ranked = sorted(scored, key=lambda scored: scored[0] + 4 * scored[1], reverse=True)[:2]
    if not ranked:
        return None
    shared, cosine, best = ranked[0]
    lead = (shared + 4 * cosine) - (ranked[1][0] + 4 * ranked[1][1] if len(ranked) > 1 else -9)
    by_words = shared >= 0.5 and cosine >= 0.45 and lead >= 0.3
    return best if by_words or (cosine >= 0.62 and lead >= 0.45) else None


def may_be_meant(said: Said, random: Random) -> bool:
    """Whether it stands among what a later sentence may change."""
    if said.sentence.teaches:
        return True
    is_asked = said.text.endswith(("?", "？"))
    return said.sentence.kind not in NOT_STATED and not is_asked and random.random() < NO_STATEMENTS_KEPT


def space_of(vectors: Vectors) -> tuple[Floats, Floats]:
    """The mean of all vectors and the projection that whitens them, shapes (d) and (d, ``DIMENSIONS``)."""
    rows = np.stack(list(vectors.values()))
    mean = rows.mean(0)
    values, axes = np.linalg.eigh(np.cov((rows - mean).T))
    kept = np.argsort(values)[::-1][:DIMENSIONS]
    projection = axes[:, kept] / np.sqrt(values[kept] + SHRINKAGE * values.mean())
    return mean.astype(np.float32), projection.astype(np.float32)


def map_of(changes: Sequence[LabelledChange], vectors: Vectors, mean: Floats, projection: Floats) -> Floats:
    """The ridge regression that carries a change's whitened vector to that of what it changes, shape (k, k)."""
    pairs = [(change.text, other) for change in changes for other in dict.fromkeys((change.texts[0], change.label))]
    new, old = (
        _units((np.stack([vectors[text] for text in side]) - mean) @ projection) for side in zip(*pairs, strict=True)
    )
    penalty = RIDGE * len(pairs) / DIMENSIONS * np.eye(DIMENSIONS)
    return np.asarray(np.linalg.solve(new.T @ new + penalty, new.T @ old), dtype=np.float32)


def _units(rows: NDArray[np.floating[Any]]) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def trials_of(
    change: LabelledChange, vectors: Vectors, weights: TargetWeights, random: Random
) -> list[tuple[str, Trial]]:
    """The change among alternatives of every number, with what it changes and without, each by the number's name."""
    told = change_target.features(
        change.text, vectors[change.text], change.texts, np.stack([vectors[text] for text in change.texts]),
        [min(age, MESSAGES_COUNTED) for age in change.since], weights,
    )  # fmt: skip
    order = sorted(shortlist(told) - {0})
    trials: list[tuple[str, Trial]] = []
    for number in [size for size in POOLS if size < len(order)] + [len(order)]:
        chosen = random.sample(order, number)
        name = str(number) if number in POOLS else "all"
        trials.append((name, (told[[0, *chosen]], True)))
        if chosen:
            trials.append((name, (told[chosen], False)))
    return trials


def shortlist(told: Floats) -> set[int]:
    """The rows that stand out by vectors, by shared words or by time."""
    by = ((0, -1, 24), (3, -1, 16), (10, 1, 6))
    return {
        int(row) for column, sign, number in by for row in np.argsort(sign * told[:, column], kind="stable")[:number]
    }


def fit(trials: Sequence[Trial]) -> tuple[Floats, Floats]:
    """Coefficients of the features, and of what speaks for none, by Adam (Kingma and Ba 2015) on the log likelihood."""
    rows = np.concatenate([told for told, _ in trials]).astype(np.float64)
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    rows = (rows - mean) / spread
    none = np.stack([change_target.none_features(told) for told, _ in trials]).astype(np.float64)
    lengths = np.array([len(told) for told, _ in trials])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    owner = np.repeat(np.arange(len(trials)), lengths)
    is_there = np.array([right for _, right in trials])
    meant = rows[starts[is_there]].sum(0)
    width = rows.shape[1]
    weights = np.zeros(width + none.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores, bias = rows @ weights[:width], none @ weights[width:]
        highest = np.maximum(np.maximum.reduceat(scores, starts), bias)
        odds, odds_none = np.exp(scores - highest[owner]), np.exp(bias - highest)
        total = np.add.reduceat(odds, starts) + odds_none
        slope = np.concatenate([rows.T @ (odds / total[owner]) - meant, none.T @ (odds_none / total - ~is_there)])
        slope = slope / len(trials) + L2 * weights
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    coefficients = weights[:width] / spread
    against = weights[width:].copy()
    against[0] += float(mean @ coefficients)
    return coefficients.astype(np.float32), against.astype(np.float32)


def fitted(changes: Sequence[LabelledChange], vectors: Vectors, mean: Floats, projection: Floats) -> TargetWeights:
    """Weights fitted on ``changes``; the map that a trial's features are made with never saw that trial's voice."""
    voices = sorted({change.voice for change in changes})
    random = Random(3)
    trials: list[Trial] = []
    for part in (set(voices[number::3]) for number in range(3)):
        others = map_of([change for change in changes if change.voice not in part], vectors, mean, projection)
        weights = _unfitted(mean, projection, others)
        for change in (change for change in changes if change.voice in part):
            trials += [trial for _, trial in trials_of(change, vectors, weights, random)]
    coefficients, none = fit(trials)
    return TargetWeights(mean, projection, map_of(changes, vectors, mean, projection), coefficients, none)


def _unfitted(mean: Floats, projection: Floats, change_map: Floats) -> TargetWeights:
    return TargetWeights(mean, projection, change_map, np.zeros(len(FEATURES), np.float32), np.zeros(3, np.float32))


Outcome = tuple[str, str, bool, bool, float]  # language, alternatives, target there, right one first, probability


def cross_validated(
    changes: Sequence[LabelledChange], vectors: Vectors, mean: Floats, projection: Floats
) -> list[Outcome]:
    """What becomes of each change by weights fitted on other voices, an eighth of the voices left out at a time."""
    voices = sorted({change.voice for change in changes})
    outcomes: list[Outcome] = []
    for part in (set(voices[number::FOLDS]) for number in range(FOLDS)):
        weights = fitted([change for change in changes if change.voice not in part], vectors, mean, projection)
        random = Random(3)
        for change in (change for change in changes if change.voice in part):
            for name, (told, is_there) in trials_of(change, vectors, weights, random):
                chances = change_target.probabilities(told, weights)
                outcomes.append((change.voice[:2], name, is_there, int(chances.argmax()) == 0, float(chances.max())))
    return outcomes


def report(encoder: Encoder, outcomes: Sequence[Outcome]) -> None:
    """Right one first; and at each margin: acted on and right, acted on and wrong, of those whose target is there, and
    acted on though it is not.
    """
    figures: dict[str, dict[str, float]] = {}
    for language in ("en", "zh"):
        for name in (*map(str, POOLS), "all"):
            chosen = [outcome for outcome in outcomes if outcome[:2] == (language, name)]
            there, not_there = ([outcome for outcome in chosen if outcome[2] is given] for given in (True, False))
            row = {"first": sum(outcome[3] for outcome in there) / len(there)}
            for margin in MARGINS:
                acted = [outcome for outcome in there if outcome[4] >= margin]
                row[f"right {margin}"] = sum(outcome[3] for outcome in acted) / len(there)
                row[f"wrong {margin}"] = sum(not outcome[3] for outcome in acted) / len(there)
                row[f"none {margin}"] = sum(outcome[4] >= margin for outcome in not_there) / max(len(not_there), 1)
            figures[f"{language}, of {name}"] = row
    publish(f"target_{encoder}", f"What a change changes, {encoder}, voices left out", figures)


def count_terms(messages: Sequence[LabelledMessage]) -> None:
    """Write the common terms of the open voices beside the weights."""
    sentences = [sentence.text for message in messages for sentence in message.sentences]
    counts = Counter(term for text in sentences for term in change_target.terms_of(text))
    common = sorted(term for term, count in counts.items() if count >= COMMON_FROM)
    rows = [str(len(sentences)), *(f"{term}\t{counts[term]}" for term in common)]
    TERMS_FILE.write_text("\n".join(rows) + "\n", encoding="utf-8")


def embedded(encoder: Encoder, texts: Sequence[str], folder: Path | None) -> Vectors:
    """The vector of each text, read from ``folder`` where an earlier run left them: e5 takes 10 ms a text."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    kept = folder / f"{encoder}_{digest}.npy" if folder else None
    if kept and kept.exists():
        rows = np.load(kept)
    else:
        rows = EMBEDDERS[encoder]().embed_passages(texts)
        if kept:
            np.save(kept, rows)
    return dict(zip(texts, rows, strict=True))


def main() -> None:
    """Report, and write the weights and their hash."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="write no weights")
    parser.add_argument("--vectors", type=Path, help="a folder in which vectors are kept from run to run")
    arguments = parser.parse_args()
    writes = not arguments.report
    messages = read_voices("open")
    if writes:
        count_terms(messages)
    texts = {
        part
        for message in messages
        for sentence in message.sentences
        for part in (sentence.text.strip(), sentence.target.strip())
    }
    ordered = sorted(texts - {""})
    linking = embedded("e5", ordered, arguments.vectors)
    voices: defaultdict[str, list[LabelledMessage]] = defaultdict(list)
    for message in messages:
        voices[message.voice].append(message)
    random = Random(7)
    changes = [change for voice in sorted(voices) for change in changes_of(voices[voice], linking, random)]
    stored: dict[str, Floats] = {}
    for encoder in EMBEDDERS:
        vectors = embedded(encoder, ordered, arguments.vectors)
        mean, projection = space_of(vectors)
        report(encoder, cross_validated(changes, vectors, mean, projection))
        if writes:
            weights = fitted(changes, vectors, mean, projection)
            stored |= {f"{encoder}_{name}": getattr(weights, name).astype(kind) for name, kind in STORED_AS.items()}
    if writes:
        np.savez_compressed(WEIGHTS_FILE, allow_pickle=False, **stored)
        print(f"{hashlib.sha256(WEIGHTS_FILE.read_bytes()).hexdigest()}  {WEIGHTS_FILE.name}")


if __name__ == "__main__":
    main()
