"""Extracts candidates from messages by rules and the gate, outside any transaction and without a model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from foundation.embeddings import EmbeddingUnavailable
from foundation.telemetry.metrics import DEGRADED
from memory.evolution.free_statements import with_free_statements
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import StatementCandidate, Utterance
from memory.indexing.documents import item_text

log = structlog.get_logger(__name__)
Vector = Sequence[float] | None


@dataclass(frozen=True)
class EmbeddedCandidate:
    """A candidate with the vector of its sentence. Without a vector it is compared by words alone."""

    candidate: StatementCandidate
    vector: Vector = None
    model_id: str = ""


@dataclass(frozen=True)
class MessageReading:
    """The candidates found in one message. ``degraded`` names what failed."""

    candidates: tuple[StatementCandidate, ...]
    degraded: tuple[str, ...] = ()


def read_messages(said: Sequence[Utterance]) -> dict[Utterance, MessageReading]:
    """The readings of several messages. Call outside any transaction."""
    return {utterance: read_message(utterance) for utterance in said}


def candidate_sentences(readings: Mapping[Utterance, MessageReading]) -> list[str]:
    """The sentence of every candidate as search indexes it, in order."""
    found = (candidate for reading in readings.values() for candidate in reading.candidates)
    return [item_text(candidate.category, candidate.content) for candidate in found]


def with_sentence_vectors(
    readings: Mapping[Utterance, MessageReading], vectors: Sequence[Vector], model_id: str
) -> dict[Utterance, list[EmbeddedCandidate]]:
    """The candidates with the vectors computed for ``candidate_sentences``."""
    each = iter(vectors)
    return {
        said: [EmbeddedCandidate(candidate, next(each), model_id) for candidate in of.candidates]
        for said, of in readings.items()
    }


def read_message(utterance: Utterance) -> MessageReading:
    """The candidates of one message, by rules and by the gate; by rules alone where embedding fails.

    A small model amends them later (see ``memory.learning.model_amendment``).
    """
    by_rules = analyze(utterance)
    try:
        return MessageReading(tuple(with_free_statements(by_rules, utterance)))
    except EmbeddingUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        log.warning("sentences_not_judged", error=type(error).__name__)
        return MessageReading(tuple(by_rules), (error.code,))
