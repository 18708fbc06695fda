"""Classifies messages: does one ask what is remembered of its speaker, and about which topics?

Two linear models, one after the other: hashed n-grams alone turn most messages away at the cost of a dictionary
lookup; what is left is embedded and judged by n-grams and sentence vector together. ``data/README.md`` tells where the
weights come from and how good they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finclaw.brain.self_questions.topic_classifier import DATA_CARD, Vectors
from finclaw.brain.self_questions.topics import topics_by_words
from foundation.embeddings import E5Embedder, configured_embedder
from foundation.embeddings.static_vectors import static_vectors
from foundation.language import character_ngrams, hash_ngrams, judged_form, word_ngrams
from foundation.model_weights import read_weights

Array = NDArray[np.float32]

WEIGHTS_FILE: Final = Path(__file__).parent / "data" / "questions.npz"
EVERYTHING: Final = "all"
"""The class of a message that asks for all that is remembered."""
BUCKETS: Final = 1 << 12
"""Hash buckets of the character n-grams; as many follow for the word n-grams."""
LEAST_BY_NGRAMS: Final = -5.0
"""Log odds by n-grams alone from which a message is embedded and judged again."""
LEAST_ODDS: Final[Mapping[Vectors, float]] = {"e5": -0.5, "light": 0.5}
"""Log odds from which a message asks about its speaker. Both were chosen with each voice left out of training."""
SURE_ODDS: Final = 2.0
"""Log odds from which a message counts as such a question even where nothing is known that could be listed."""
NGRAMS_LENGTH: Final = 6.0
VECTOR_LENGTH: Final = 8.0
TOPIC_WORDS_LENGTH: Final = 2.0
"""How long the feature vectors are: weights are regularised alike, so a longer one counts more."""
_DIGIT: Final = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class QuestionClassifier:
    """Weights, the bias last in each: ``by_ngrams`` and ``asks`` of shape (2 * ``BUCKETS`` [+ dimensions] + 1,),
    ``of_topics`` of shape (dimensions + topics + 1, topics).
    """

    topics: tuple[str, ...]
    by_ngrams: Array
    asks: Array
    of_topics: Array

    def may_ask(self, buckets: NDArray[np.int64], values: Array) -> bool:
        """Whether a message of these n-grams is worth embedding."""
        return float(self.by_ngrams[buckets] @ values + self.by_ngrams[-1]) >= LEAST_BY_NGRAMS

    def odds(self, buckets: NDArray[np.int64], values: Array, vector: Array) -> float:
        """Log odds that it asks what is remembered of its speaker. ``vector`` as ``sentence_vector`` returns it."""
        return float(self.asks[buckets] @ values + self.asks[2 * BUCKETS : -1] @ vector + self.asks[-1])

    def topic_odds(self, vector: Array, text: str) -> Array:
        """Log odds of each topic for a message that asks, shape (topics,)."""
        inputs = np.concatenate([vector, topic_words(text, self.topics), np.ones(1, dtype=np.float32)])
        return np.asarray(inputs @ self.of_topics, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class ClassifiedQuestion:
    """A message that asks about its speaker: its topics, likeliest first and ``EVERYTHING`` among them, and whether it
    surely asks for what is remembered.
    """

    topics: tuple[str, ...]
    is_sure: bool


def classify_question(text: str) -> ClassifiedQuestion | None:
    """What a message asks about its speaker; None where it asks nothing of the kind.

    Linear in the length of the text. Raises ``DamagedWeights``.
    """
    kind = configured_vectors()
    classifier = question_classifier(kind)
    buckets, values = ngram_features(text)
    if not classifier.may_ask(buckets, values):
        return None
    vector = sentence_vector(kind, text)
    asks = classifier.odds(buckets, values, vector)
    if asks < LEAST_ODDS[kind]:
        return None
    odds = classifier.topic_odds(vector, text)
    likely = [int(number) for number in np.argsort(-odds) if odds[number] > 0] or [int(odds.argmax())]
    return ClassifiedQuestion(tuple(classifier.topics[number] for number in likely), asks >= SURE_ODDS)


def configured_vectors() -> Vectors:
    """Which sentence vectors are at hand: those of the embedded e5, else the static ones."""
    return "e5" if isinstance(configured_embedder(), E5Embedder) else "light"


def sentence_vector(kind: Vectors, text: str) -> Array:
    """The vector of a message as the classifier takes it."""
    vector = E5Embedder().embed_with_form([text])[0] if kind == "e5" else static_vectors().vector(text)
    return np.asarray(vector * np.float32(VECTOR_LENGTH), dtype=np.float32)


def ngram_features(text: str) -> tuple[NDArray[np.int64], Array]:
    """The buckets of a message's n-grams and their values: two arrays of one length."""
    form = _DIGIT.sub("0", judged_form(text))
    spaces = [hash_ngrams("c", character_ngrams(form), BUCKETS), hash_ngrams("w", word_ngrams(form), BUCKETS)]
    values = [np.full(len(found), NGRAMS_LENGTH / max(1, len(found)) ** 0.5, np.float32) for found in spaces]
    return np.concatenate([spaces[0], spaces[1] + BUCKETS]), np.concatenate(values)


def topic_words(text: str, topics: Sequence[str]) -> Array:
    """For each topic whether the message holds a word of it, shape (topics,)."""
    found = topics_by_words(text)
    return np.array([topic in found for topic in topics], dtype=np.float32) * np.float32(TOPIC_WORDS_LENGTH)


@cache
def question_classifier(kind: Vectors) -> QuestionClassifier:
    """The classifier for vectors of this kind, loaded once in a process. Raises ``DamagedWeights``."""
    arrays = read_weights(WEIGHTS_FILE, DATA_CARD.read_text(encoding="utf-8"))
    return QuestionClassifier(
        tuple(str(name) for name in arrays["topics"]),
        arrays["ngrams"].astype(np.float32),
        arrays[f"{kind}.asks"].astype(np.float32),
        arrays[f"{kind}.topics"].astype(np.float32),
    )
