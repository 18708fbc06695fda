"""Classifies the sentences of a message with the gate's weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.embeddings import E5Embedder, configured_embedder
from foundation.embeddings.static_vectors import static_vectors
from foundation.language import language_of
from memory.evolution.gate.features import GateSentence, gate_sentences, hashed, shape
from memory.evolution.gate.types import TEACHING, Band, Judgement
from memory.evolution.gate.weights import LinearHead, Vectors, linear_head

_JUDGED: Final = 3
"""The classes before the kinds: teaches, own claim, change."""
LEAST_OWN: Final = 0.7
"""The chance of being the speaker's own claim from which a sentence may be learned."""


def judge(text: str) -> list[Judgement]:
    """Judge each sentence of a message, in order; no judgements for a blank message.

    Sentence vectors come from the configured embedder where that is the embedded e5, with what tells their form; from
    the light static vectors otherwise. Deterministic, and linear in the length of the message: of a sentence its first
    400 characters count.
    """
    found = gate_sentences(text)
    if not found:
        return []
    kind, vectors = _vectors([sentence.bare for sentence in found])
    model = linear_head(kind)
    return [_judgement(sentence, vector, model) for sentence, vector in zip(found, vectors, strict=True)]


def _vectors(texts: Sequence[str]) -> tuple[Vectors, NDArray[np.float32]]:
    embedder = configured_embedder()
    if isinstance(embedder, E5Embedder):
        return "e5", embedder.embed_with_form(texts)
    return "light", np.stack([static_vectors().vector(text) for text in texts])


def _judgement(sentence: GateSentence, vector: NDArray[np.float32], model: LinearHead) -> Judgement:
    language = language_of(sentence.text)
    odds = model.odds(*hashed(sentence), shape(sentence), vector)
    calibrations = model.calibrations[language]
    teaches, own, change = map(float, 1 / (1 + np.exp(-(calibrations[:, 0] * odds[:_JUDGED] + calibrations[:, 1]))))
    return Judgement(
        sentence=sentence.text,
        language=language,
        teaches=teaches,
        own=own,
        kind=TEACHING[int(odds[_JUDGED:].argmax())],
        change=change,
        band=_band(teaches, own, model.thresholds[language]),
    )


def _band(teaches: float, own: float, thresholds: tuple[float, float]) -> Band:
    remember, ask = thresholds
    if teaches < ask:
        return "ignore"
    return "remember" if teaches >= remember and own >= LEAST_OWN else "ask"
