"""Train the head that says which topics a statement belongs to, and say what it is worth on people it has not seen.

    python -m bench.train_topics

It is fitted on the statements of ``self_wordings/statements.txt`` and ``statements_{en,zh}.tsv`` and judged on
``self_wordings/people.txt``, whose sentences are others; the weights that ship are fitted on all. Deterministic.
"""

from __future__ import annotations

import io
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bench.report import publish
from bench.runner import set_up_django

if TYPE_CHECKING:
    from finclaw.brain.self_questions.topic_classifier import Vectors

HERE: Final = Path(__file__).parent / "self_wordings"
_STEPS: Final = 600
_RATE: Final = 0.05
_DECAY: Final = 1e-3
_MOST_WEIGHT: Final = 8.0
_FIRST, _SECOND = 0.9, 0.999
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)

Labelled = list[tuple[str, frozenset[str]]]
Matrix = NDArray[np.float32]


def statements() -> Labelled:
    """The sentences to fit on, each with its topics."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in (HERE / "statements.txt").read_text(encoding="utf-8").splitlines():
        topic, texts = line.split("|", 1)
        for text in texts.split(";;"):
            found[text].add(topic)
    for name in ("en", "zh"):
        for line in (HERE / f"statements_{name}.tsv").read_text(encoding="utf-8").splitlines():
            topics, text = line.split("\t", 1)
            found[text].update(topics.split("+"))
    return [(text, frozenset(topics)) for text, topics in found.items()]


def people() -> Labelled:
    """The sentences of the people, each with its one topic."""
    from bench.self_questions import written_people

    everybody = written_people(HERE / "people.txt")
    return [
        (statement["text"], frozenset({statement["topic"]}))
        for person in everybody
        for statement in person["statements"]
    ]


def fit(inputs: Matrix, labels: Matrix) -> Matrix:
    """Logistic regression, a column a topic: rare topics weigh more, the bias is not shrunk (Adam, full batch)."""
    share = labels.mean(0)
    weight = 1 + (np.minimum((1 - share) / np.maximum(share, 1e-6), _MOST_WEIGHT) - 1) * labels
    weights = np.zeros((inputs.shape[1], labels.shape[1]))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        chances = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (weight * (chances - labels)) / len(inputs)
        slope[:-1] += _DECAY * weights[:-1]
        first = _FIRST * first + (1 - _FIRST) * slope
        second = _SECOND * second + (1 - _SECOND) * slope**2
        weights -= _RATE * (first / (1 - _FIRST**step)) / (np.sqrt(second / (1 - _SECOND**step)) + 1e-8)
    return weights.astype(np.float32)


def _vectors(kind: Vectors, texts: list[str]) -> Matrix:
    from foundation.embeddings import E5Embedder
    from foundation.embeddings.static_vectors import static_vectors

    if kind == "e5":
        return E5Embedder().embed_passages(texts)
    return np.stack([static_vectors().vector(text) for text in texts])


def _head(kind: Vectors, vectors: Matrix, labelled: Labelled, topics: tuple[str, ...]) -> tuple[Matrix, Matrix]:
    from finclaw.brain.self_questions.topic_classifier import inputs_of

    mean = vectors.mean(0)
    labels = np.array([[topic in known for topic in topics] for _, known in labelled], dtype=np.float32)
    return fit(inputs_of(kind, vectors, mean, [text for text, _ in labelled], topics), labels), mean


def _figures(
    kind: Vectors, weights: Matrix, mean: Matrix, unseen: Labelled, vectors: Matrix, topics: tuple[str, ...]
) -> dict[str, float]:
    from finclaw.brain.self_questions.topic_classifier import TopicHead, _choose_topics
    from finclaw.brain.self_questions.topics import belongs_to_topic

    chances = TopicHead(topics, weights, mean).chances(kind, vectors, [text for text, _ in unseen])
    chosen = [frozenset(_choose_topics(topics, row)) for row in chances]
    right = [
        any(belongs_to_topic(topic, found) for topic in known) for (_, known), found in zip(unseen, chosen, strict=True)
    ]
    return {
        "statements": len(unseen),
        "topic among them": float(np.mean(right)),
        "topics each": float(np.mean([len(found) for found in chosen])),
    }


def main() -> None:
    """Print what each head is worth, and write the weights with their hash into the data card."""
    set_up_django()
    from finclaw.brain.self_questions.topic_classifier import WEIGHTS_FILE

    seen, unseen = statements(), people()
    topics = tuple(sorted({topic for _, known in seen for topic in known}))
    arrays: dict[str, NDArray[np.generic]] = {"topics": np.array(topics)}
    figures: dict[str, dict[str, float]] = {}
    kinds: tuple[Vectors, ...] = ("e5", "light")
    for kind in kinds:
        vectors = _vectors(kind, [text for text, _ in (*seen, *unseen)])
        weights, mean = _head(kind, vectors[: len(seen)], seen, topics)
        figures[kind] = _figures(kind, weights, mean, unseen, vectors[len(seen) :], topics)
        weights, mean = _head(kind, vectors, [*seen, *unseen], topics)
        arrays |= {f"{kind}.weights": weights.astype(np.float16), f"{kind}.mean": mean.astype(np.float16)}
    publish("self_topics", "Topics of statements that were not seen", figures)
    write_weights(arrays, WEIGHTS_FILE)


def write_weights(arrays: dict[str, NDArray[np.generic]], path: Path, *, compress: bool = False) -> None:
    """Write an archive of weights, and its hash into the data card beside it, which names the file."""
    content = _archive(arrays, compress=compress)
    path.write_bytes(content)
    card = path.with_name("README.md")
    named = f"SHA-256 of `{path.name}`"
    lines = [
        f"{named}: `{sha256(content).hexdigest()}`" if line.startswith(named) else line
        for line in card.read_text(encoding="utf-8").splitlines()
    ]
    card.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _archive(arrays: dict[str, NDArray[np.generic]], *, compress: bool) -> bytes:
    """The arrays in one file that is the same whenever they are."""
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            piece = io.BytesIO()
            np.save(piece, array, allow_pickle=False)
            file = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            file.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
            archive.writestr(file, piece.getvalue())
    return out.getvalue()


if __name__ == "__main__":
    main()
