"""Finds the earlier statement that a new one changes, corrects or ends, by a conditional logit. Pure.

The alternatives are the earlier statements and "none of them" (McFadden 1974, conditional logit analysis of qualitative
choice behaviour); their probabilities sum to one. Features and weights: ``bench/train_target.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, log1p, log10
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from foundation.language import cjk_characters, normalize
from foundation.lexicon import read_lexicon
from foundation.model_weights import read_weights
from foundation.text import tokenize
from memory.evolution.topics import persons_of, topics_of
from memory.mentions import core_terms

_WORDS: Final = read_lexicon(__file__)

Encoder = Literal["e5", "light"]
Floats = NDArray[np.float32]
WEIGHTS_FILE: Final = Path(__file__).parent / "data" / "target.npz"
WEIGHTS_SHA256: Final = "17f86ce0e083e04b6aeca4eb78924232da68c8e3871584e658f40fef546d67ff"
TERMS_FILE: Final = WEIGHTS_FILE.with_name("common_terms.tsv")
"""The terms of everyday messages, each with the number of sentences that hold it; the first line counts all sentences.
"""
FEATURES: Final = (
    "likeness", "mapped likeness", "shared, of the change", "shared, of the earlier", "rarest shared term",
    "terms shared", "topics shared", "a person shared", "persons differ", "both with numbers", "messages since",
    "said just before", "said lately",
)  # fmt: skip
LOWEST_MARGIN: Final = 0.35
"""By how much the best target must lead where there is only one other; more are confused more easily."""
CALIBRATION: Final = (-1.49, 0.36, 0.95, 0.15)
"""Coefficients of the probability that a statement changes this target.

A logistic regression on the log odds of a change and of this target, and on the logarithm of the number of
alternatives, over voices that neither was fitted on (``bench/calibrate_change.py``). The probability that the statement
teaches anything does not improve it.
"""
MESSAGES_COUNTED: Final = 64
"""The number of messages in between from which earlier statements count as equally old."""
_MOST_TOKENS: Final = 200
_CHARACTER_WEIGHT: Final = 0.5
"""The weight of a single Chinese character, which tells less than a word of two."""
_RARE: Final = 3
"""The number of sentences assumed to hold a term that is not among the common ones."""
_LARGEST_IDF: Final = 8.0  # scales the rarest shared term to about 1, as the other features are
_PARTICLES: Final = frozenset(_WORDS.of("zh").words("particles"))
_DIGITS = re.compile(r"\d++")
_CHINESE_NUMBERS: Final = frozenset(_WORDS.of("zh").words("chinese_numbers"))


@dataclass(frozen=True, slots=True)
class EarlierStatement:
    """Something the user said before.

    ``vector`` is the embedding of its sentence by the encoder in use; ``messages_since`` counts the user's messages
    from it to the new one, at least 1.
    """

    text: str
    vector: Sequence[float] | Floats
    messages_since: int


@dataclass(frozen=True, slots=True)
class LikelyTarget:
    """The likeliest of the earlier statements, by its ``place`` among them, and its probability (0–1).

    ``alternatives`` is how many there were.
    """

    place: int
    probability: float
    alternatives: int

    @property
    def margin(self) -> float:
        """The probability from which the target is replaced: of many alternatives the best is more often wrong.

        At most some 3 of 100 changes replace another statement than they mean (``bench/calibrate_change.py``).
        """
        return LOWEST_MARGIN + 0.15 * log10(self.alternatives)

    def probability_changed(self, change: float) -> float:
        """The probability that a statement which changes something with probability ``change`` changes this target."""
        constant, by_change, by_target, by_number = CALIBRATION
        odds = constant + by_change * _log_odds(change) + by_target * _log_odds(self.probability)
        return 1 / (1 + exp(-odds - by_number * log(self.alternatives)))


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """What the features see of a text: its telling terms and their weight, topics, persons, numbers."""

    terms: frozenset[str]
    weight: float
    topics: frozenset[str]
    persons: frozenset[str]
    has_number: bool


@dataclass(frozen=True, slots=True)
class TargetWeights:
    """The weights fitted for one encoder of ``d`` dimensions.

    ``mean``, shape (d), and ``projection``, shape (d, k), whiten a vector; ``change_map``, shape (k, k), carries a
    change towards what it changes. ``coefficients`` stand for ``FEATURES``, ``none`` for a constant, the logarithm of
    the number of alternatives and the highest mapped likeness.
    """

    mean: Floats
    projection: Floats
    change_map: Floats
    coefficients: Floats
    none: Floats


def encoder_of(model_id: str) -> Encoder | None:
    """The encoder whose weights fit vectors of this model; None for a model without fitted weights."""
    if model_id.startswith("multilingual-e5-small"):
        return "e5"
    return "light" if model_id.startswith("finclaw-static-hashed") else None


def likeliest_target(
    text: str, vector: Sequence[float] | Floats, earlier: Sequence[EarlierStatement], encoder: Encoder
) -> LikelyTarget | None:
    """The earlier statement that the new statement ``text`` most likely changes; None where ``earlier`` is empty."""
    if not earlier:
        return None
    vectors = np.asarray([statement.vector for statement in earlier], dtype=np.float32)
    told = features(
        text, np.asarray(vector, dtype=np.float32), [statement.text for statement in earlier], vectors,
        [statement.messages_since for statement in earlier], weights_of(encoder),
    )  # fmt: skip
    chances = probabilities(told, weights_of(encoder))
    best = int(chances.argmax())
    return LikelyTarget(best, float(chances[best]), len(earlier))


def features(
    text: str, vector: Floats, texts: Sequence[str], vectors: Floats, since: Sequence[int], weights: TargetWeights
) -> Floats:
    """The features of each pair of the new text and one of ``texts``, shape (len(texts), len(FEATURES))."""
    likeness, mapped = similarities(vector, vectors, weights)
    rows = [
        _words_shared(text_features(text), text_features(other), age) for other, age in zip(texts, since, strict=True)
    ]
    return np.column_stack([likeness, mapped, np.asarray(rows, dtype=np.float32)]).astype(np.float32)


def similarities(vector: Floats, vectors: Floats, weights: TargetWeights) -> tuple[Floats, Floats]:
    """Cosines of the whitened vectors, plain and with the change mapped towards its target; shapes (len(vectors),)."""
    new = _unit((vector - weights.mean) @ weights.projection)
    old = _unit((vectors - weights.mean) @ weights.projection)
    return old @ new, old @ _unit(new @ weights.change_map)


def probabilities(told: Floats, weights: TargetWeights) -> Floats:
    """The probability of each alternative (row of features); the rest up to one means none of them."""
    scores = told @ weights.coefficients
    none = float(none_features(told) @ weights.none)
    highest = max(float(scores.max()), none)
    odds = np.exp(scores - highest)
    return np.asarray(odds / (odds.sum() + np.exp(none - highest)), dtype=np.float32)


def none_features(told: Floats) -> Floats:
    """The features of the alternative "none of them", shape (3,)."""
    return np.asarray([1.0, log(len(told)), told[:, 1].max()], dtype=np.float32)


@lru_cache(maxsize=4_096)
def text_features(text: str) -> TextFeatures:
    """The words of a text as the features see them; of a long text the first 200."""
    folded = normalize(text)
    characters = cjk_characters(folded)[:_MOST_TOKENS]
    tokens = [*tokenize(folded)[:_MOST_TOKENS], *characters]
    terms = terms_of(text)
    return TextFeatures(
        terms=terms,
        weight=sum(map(term_weight, terms)),
        topics=topics_of(tokens),
        persons=persons_of(tokens),
        has_number=bool(_DIGITS.search(folded)) or not _CHINESE_NUMBERS.isdisjoint(characters),
    )


def terms_of(text: str) -> frozenset[str]:
    """The index tokens and single Chinese characters that carry what a text is about."""
    folded = normalize(text)
    characters = cjk_characters(folded)[:_MOST_TOKENS]
    return core_terms(folded) | {character for character in characters if character not in _PARTICLES}


def term_weight(term: str) -> float:
    """A term's inverse document frequency in everyday messages; half of it for a single Chinese character."""
    sentences, counts = _common_terms()
    idf = log(sentences / 2 / (1 + counts.get(term, _RARE)))
    return idf * (_CHARACTER_WEIGHT if len(term) == 1 else 1.0)


def _words_shared(new: TextFeatures, old: TextFeatures, messages_since: int) -> tuple[float, ...]:
    shared = [term_weight(term) for term in new.terms & old.terms]
    topics = (len(new.topics) or 1) * (len(old.topics) or 1)
    age = min(messages_since, MESSAGES_COUNTED)
    return (
        sum(shared) / (new.weight or 1.0),
        sum(shared) / (old.weight or 1.0),
        max(shared, default=0.0) / _LARGEST_IDF,
        len(shared) / 5,
        len(new.topics & old.topics) / topics**0.5,
        float(bool(new.persons & old.persons)),
        float(new.persons != old.persons and not new.persons & old.persons),
        float(new.has_number and old.has_number),
        log1p(age) / 5,
        float(age <= 1),
        float(age <= 3),
    )


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return log(bounded / (1 - bounded))


def _unit(rows: NDArray[np.floating[Any]]) -> Floats:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def weights_of(encoder: Encoder) -> TargetWeights:
    """The fitted weights for vectors of an encoder."""
    stored = _load_weights()
    names = ("mean", "projection", "change_map", "coefficients", "none")
    return TargetWeights(*(np.asarray(stored[f"{encoder}_{name}"], dtype=np.float32) for name in names))


@lru_cache(maxsize=1)
def _common_terms() -> tuple[int, Mapping[str, int]]:
    """The number of sentences counted, and for each common term the number of sentences that hold it."""
    first, *rows = TERMS_FILE.read_text(encoding="utf-8").splitlines()
    counts = (row.split("\t") for row in rows)
    return int(first), {term: int(count) for term, count in counts}


@lru_cache(maxsize=1)
def _load_weights() -> Mapping[str, Any]:
    return read_weights(WEIGHTS_FILE, WEIGHTS_SHA256)
