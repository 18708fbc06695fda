"""Train the classifier of questions about oneself, and say what it is worth on voices it has not seen.

    python -m bench.train_questions [--write]

Fitted on what we wrote: ``self_wordings/questions_{en,zh}.tsv`` (eight voices), the wordings made of families, which
count less, and messages of the everyday voices, which ask nothing of the kind. Each pair of voices is left out once
for the figures; the weights that ship (``--write``) are fitted on all. Deterministic.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import django
import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from bench.gate_fit import Array, Rows, fit
from bench.report import publish
from bench.train_topics import write_weights

if TYPE_CHECKING:
    from finclaw.brain.self_questions.topic_classifier import Vectors

HERE: Final = Path(__file__).parent / "self_wordings"
NONE: Final = "none"
_FOLDS: Final = (("1", "3"), ("2", "4"))
_MOST_OF_FAMILIES: Final = 2_500
_MOST_OF_EVERYDAY: Final = 6_000
_FAMILY_WEIGHT: Final = 0.3
_PENALTY: Final = 1.0
_STEPS: Final = 250
_MOST_WEIGHT: Final = 8.0
_SEED: Final = 3


@dataclass(frozen=True)
class Wording:
    """A message, its labels (``none``, ``all`` or topics) and the voice it is of; "" for one made of a family."""

    text: str
    labels: tuple[str, ...]
    voice: str

    @property
    def asks(self) -> bool:
        """Whether it asks what is remembered of its speaker."""
        return self.labels != (NONE,)


def written() -> list[Wording]:
    """The messages of the eight voices."""
    lines = [line for name in ("en", "zh") for line in (HERE / f"questions_{name}.tsv").read_text("utf-8").splitlines()]
    cells = [line.split("\t", 2) for line in lines]
    return [Wording(text, tuple(label.split("+")), voice) for voice, label, text in cells]


def of_families() -> list[Wording]:
    """A sample of the wordings made of families."""
    from bench.self_wordings.build import wordings

    made = [Wording(line["text"], (line["label"],), "") for name in ("en", "zh") for line in wordings(name)]
    return random.Random(_SEED).sample(made, min(len(made), _MOST_OF_FAMILIES))


def everyday() -> list[Wording]:
    """A sample of everyday messages, none of which asks about its speaker."""
    from bench.everyday.labels import read_voices
    from finclaw.brain.self_questions.recognition import LONGEST

    texts = [" ".join(part.text.strip() for part in message.sentences) for message in read_voices("open")]
    short = [text for text in texts if len(text) <= LONGEST]
    return [Wording(text, (NONE,), "everyday") for text in random.Random(_SEED).sample(short, _MOST_OF_EVERYDAY)]


class Features:
    """The features of wordings, each text embedded once."""

    def __init__(self, kind: Vectors, wordings: Iterable[Wording]) -> None:
        from finclaw.brain.self_questions.question_classifier import sentence_vector

        self.vectors = {text: sentence_vector(kind, text) for text in {wording.text for wording in wordings}}

    def vectors_of(self, wordings: Sequence[Wording]) -> Array:
        """Shape (wordings, dimensions)."""
        return np.stack([self.vectors[wording.text] for wording in wordings])

    def for_asking(self, wordings: Sequence[Wording], *, with_vectors: bool) -> Rows:
        """N-grams, and the vectors beside them."""
        dense = self.vectors_of(wordings) if with_vectors else np.zeros((len(wordings), 0), dtype=np.float32)
        return Rows(_ngram_rows(wordings), dense)

    def for_topics(self, wordings: Sequence[Wording], topics: Sequence[str]) -> Rows:
        """Vectors, and the words of topics beside them."""
        from finclaw.brain.self_questions.question_classifier import topic_words

        words = np.stack([topic_words(wording.text, topics) for wording in wordings])
        empty = sparse.csr_matrix((len(wordings), 0), dtype=np.float32)
        return Rows(empty, np.concatenate([self.vectors_of(wordings), words], axis=1))


def _ngram_rows(wordings: Sequence[Wording]) -> Any:
    from finclaw.brain.self_questions.question_classifier import BUCKETS, ngram_features

    rows = [ngram_features(wording.text) for wording in wordings]
    starts = np.concatenate([[0], np.cumsum([len(ids) for ids, _ in rows])])
    ids, values = np.concatenate([ids for ids, _ in rows]), np.concatenate([values for _, values in rows])
    return sparse.csr_matrix((values, ids, starts), shape=(len(rows), 2 * BUCKETS))


def fit_asking(features: Features, seen: Sequence[Wording], *, with_vectors: bool) -> Array:
    """Weights of one logistic regression, shape (columns + 1,): does a message ask about its speaker?"""
    targets = np.array([[wording.asks] for wording in seen], dtype=np.float32)
    counted = np.array([[1.0 if wording.voice else _FAMILY_WEIGHT] for wording in seen], dtype=np.float32)
    return fit(features.for_asking(seen, with_vectors=with_vectors), targets, counted, _PENALTY, _STEPS)[:, 0]


def fit_topics(features: Features, seen: Sequence[Wording], topics: Sequence[str]) -> Array:
    """Weights of one logistic regression a topic, shape (columns + 1, topics); rare topics weigh more."""
    asking = [wording for wording in seen if wording.asks]
    targets = np.array([[topic in wording.labels for topic in topics] for wording in asking], dtype=np.float32)
    share = np.maximum(targets.mean(0), 1e-3)
    counted = 1 + (np.minimum((1 - share) / share, _MOST_WEIGHT) - 1) * targets
    counted *= np.array([[1.0 if wording.voice else _FAMILY_WEIGHT] for wording in asking], dtype=np.float32)
    return fit(features.for_topics(asking, topics), targets, counted, _PENALTY, _STEPS)


def figures(
    kind: Vectors, features: Features, voices: Sequence[Wording], others: Sequence[Wording]
) -> dict[str, float]:
    """What the classifier is worth on voices left out, two pairs in turn, and on a third of the everyday messages."""
    from finclaw.brain.self_questions.question_classifier import LEAST_BY_NGRAMS, LEAST_ODDS

    passed: list[tuple[Wording, bool, bool]] = []
    right_topics: list[bool] = []
    topics = topics_of(voices)
    for fold in _FOLDS:
        unseen = [wording for wording in voices if wording.voice[-1] in fold] + list(others[::3])
        seen = [wording for wording in voices if wording.voice[-1] not in fold]
        seen += [wording for at, wording in enumerate(others) if at % 3]
        by_ngrams = features.for_asking(unseen, with_vectors=False).odds(
            fit_asking(features, seen, with_vectors=False)[:, None]
        )
        asks = features.for_asking(unseen, with_vectors=True).odds(
            fit_asking(features, seen, with_vectors=True)[:, None]
        )
        for wording, first, second in zip(unseen, by_ngrams[:, 0], asks[:, 0], strict=True):
            passed.append(
                (wording, bool(first >= LEAST_BY_NGRAMS), bool(first >= LEAST_BY_NGRAMS and second >= LEAST_ODDS[kind]))
            )
        asking = [wording for wording in unseen if wording.asks and wording.voice]
        odds = features.for_topics(asking, topics).odds(fit_topics(features, seen, topics))
        right_topics += [topics[int(row.argmax())] in wording.labels for wording, row in zip(asking, odds, strict=True)]
    return {
        "found": _share([second for wording, _, second in passed if wording.asks and wording.voice]),
        "found by n-grams": _share([first for wording, first, _ in passed if wording.asks and wording.voice]),
        "false, near": _share(
            [second for wording, _, second in passed if not wording.asks and len(wording.voice) == 3]
        ),
        "false, everyday": _share([second for wording, _, second in passed if wording.voice == "everyday"]),
        "embedded, everyday": _share([first for wording, first, _ in passed if wording.voice == "everyday"]),
        "right topic": _share(right_topics),
    }


def topics_of(wordings: Iterable[Wording]) -> tuple[str, ...]:
    """The classes of messages that ask, sorted."""
    return tuple(sorted({label for wording in wordings if wording.asks for label in wording.labels}))


def _share(found: Sequence[bool]) -> float:
    return float(np.mean(found)) if found else 0.0


def main(arguments: Iterable[str] | None = None) -> None:
    """Print the figures; with ``--write`` write the weights and their hash into the data card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args(list(arguments) if arguments is not None else None)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    django.setup()
    from finclaw.brain.self_questions.question_classifier import WEIGHTS_FILE

    voices, others = written(), [*of_families(), *everyday()]
    everything, topics = [*voices, *others], topics_of([*voices, *others])
    arrays: dict[str, NDArray[np.generic]] = {"topics": np.array(topics)}
    worth: dict[str, dict[str, float]] = {}
    kinds: tuple[Vectors, ...] = ("e5", "light")
    for kind in kinds:
        features = Features(kind, everything)
        worth[kind] = figures(kind, features, voices, others)
        if chosen.write:
            arrays["ngrams"] = fit_asking(features, everything, with_vectors=False).astype(np.float16)
            arrays[f"{kind}.asks"] = fit_asking(features, everything, with_vectors=True).astype(np.float16)
            arrays[f"{kind}.topics"] = fit_topics(features, everything, topics).astype(np.float16)
    publish("self_question_classifier", "Questions about oneself, voices left out", worth)
    if chosen.write:
        write_weights(arrays, WEIGHTS_FILE)


if __name__ == "__main__":
    main()
