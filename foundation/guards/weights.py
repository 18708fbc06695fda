"""Loads the guards' weights from one file, which is checked against the hash in its data card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from foundation.guards.context_classifier import NetworkEnsemble, read_network
from foundation.guards.types import GuardName
from foundation.guards.word_classifier import WordClassifier
from foundation.model_weights import read_weights

ALWAYS_READ_SHORT: Final[frozenset[GuardName]] = frozenset({"boundary"})
"""Guards that read every short text with the sentence encoder. That run also gives the vector search needs."""
WEIGHTS_FILE: Final = Path(__file__).parent / "data" / "weights.npz"
DATA_CARD: Final = WEIGHTS_FILE.with_name("README.md")


@dataclass(frozen=True, slots=True)
class GuardModel:
    """The classifiers of one guard.

    A text to which ``words`` gives log odds of at least ``suspicious`` is also read by ``networks``, where the encoder
    is configured. Both are added by ``mixture`` (weight of the words, weight of the networks, offset); above 0 the
    guard is positive.
    """

    words: WordClassifier
    networks: NetworkEnsemble
    mixture: tuple[float, float, float]
    suspicious: float


@cache
def guard_model(guard: GuardName) -> GuardModel:
    """The classifiers of a guard, loaded once in a process.

    Raises ``DamagedWeights`` where the file and its data card differ.
    """
    arrays = read_weights(WEIGHTS_FILE, DATA_CARD.read_text(encoding="utf-8"))
    scale, bias, suspicious = map(float, arrays[f"{guard}.words.numbers"])
    word_weight, context_weight, offset = map(float, arrays[f"{guard}.mixture"])
    count = int(arrays[f"{guard}.networks"])
    return GuardModel(
        words=WordClassifier(arrays[f"{guard}.words.weights"], scale, bias),
        networks=NetworkEnsemble([read_network(arrays, f"{guard}.network{number}.") for number in range(count)]),
        mixture=(word_weight, context_weight, offset),
        suspicious=suspicious,
    )
