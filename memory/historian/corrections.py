"""Finds the sentences of a chat that a later one corrects or asks to have forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.embeddings import EmbeddingUnavailable, LocalEmbedder, configured_embedder
from foundation.text import tokenize
from memory.evolution.change_target import EarlierStatement, encoder_of, likeliest_target, term_weight, text_features
from memory.evolution.implicit_corrections import replacement_word
from memory.historian.sentences import SentenceReading

ENOUGH_SHARED: Final = 0.5
"""Least share of the weight of a correction's words that must stand in the earlier sentence that it corrects."""
SENTENCES_LOOKED_BACK: Final = 60
"""Sentences before a correction among which the corrected one is looked for."""
ENOUGH_OF_A_STATEMENT: Final = 0.6
"""Least share of a statement's words that must stand in the sentence it was learned from."""


def retracted_places(readings: Sequence[SentenceReading]) -> set[int]:
    """The positions of the sentences that a later one corrects or asks to have forgotten.

    ``readings`` are all sentences of a chat in order. To be called outside any transaction: sentences are embedded.
    """
    gone = set[int]()
    for at, reading in enumerate(readings):
        if not (reading.takes_back or (at and readings[at - 1].only_rejects)):
            continue
        before = range(max(0, at - SENTENCES_LOOKED_BACK), at)
        earlier = [place for place in before if readings[place].event_sentence and place not in gone]
        meant = _corrected_place(reading, [readings[place] for place in earlier])
        if meant is not None:
            gone.add(earlier[meant])
    return gone


def _corrected_place(reading: SentenceReading, earlier: Sequence[SentenceReading]) -> int | None:
    """The position of the earlier sentence that a correction most likely means; None where none is sure."""
    if not earlier:
        return None
    if replacement_word(reading.quote):
        return len(earlier) - 1  # "I meant coffee" corrects what was said just before
    texts = [reading.event_sentence.text if reading.event_sentence else "" for reading in earlier]
    shared = [_shared_weight(reading.content, text) for text in texts]
    likely = _likeliest_target(reading.content, texts)
    if likely is not None:
        return likely
    best = max(range(len(shared)), key=lambda at: (shared[at], at))
    return best if shared[best] >= ENOUGH_SHARED else None


def _likeliest_target(text: str, earlier: Sequence[str]) -> int | None:
    embedder = configured_embedder()
    encoder = encoder_of(embedder.model_id) if embedder.is_local else None
    if encoder is None:
        embedder, encoder = LocalEmbedder(), "light"
    try:
        vector, *vectors = _vectors(embedder.embed_passages([text, *earlier]))
    except EmbeddingUnavailable:
        return None
    known = [
        EarlierStatement(earlier_text, each, len(earlier) - at)
        for at, (earlier_text, each) in enumerate(zip(earlier, vectors, strict=True))
    ]
    target = likeliest_target(text, vector, known, encoder)
    return target.place if target is not None and target.probability >= target.margin else None


def _vectors(found: Iterable[Sequence[float]]) -> list[NDArray[np.float32]]:
    return [np.asarray(vector, dtype=np.float32) for vector in found]


def _shared_weight(text: str, earlier: str) -> float:
    """How much of the weight of a text's words stands in an earlier one: 0 to 1."""
    words, before = text_features(text), text_features(earlier)
    return sum(term_weight(term) for term in words.terms & before.terms) / (words.weight or 1.0)


def is_source_of(sentence: str, statement: str) -> bool:
    """Whether a learned statement comes from this sentence, judged by the words they share."""
    known = set(tokenize(statement))
    return bool(known) and len(known & set(tokenize(sentence))) >= ENOUGH_OF_A_STATEMENT * len(known)
