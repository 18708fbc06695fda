"""Reading messages outside any transaction, at once, by what needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from foundation.embeddings import EmbeddingUnavailable
from foundation.telemetry.metrics import DEGRADED
from memory.evolution.free_statements import with_statements
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import Candidate, Utterance
from memory.indexing import services as indexing

log = structlog.get_logger(__name__)
Vector = Sequence[float] | None


@dataclass(frozen=True)
class Found:
    """A candidate with the vector of its sentence; without one nearness is not looked at."""

    candidate: Candidate
    vector: Vector = None
    model_id: str = ""


@dataclass(frozen=True)
class Reading:
    """What one message says of its speaker. ``degraded`` names what did not do its part."""

    candidates: tuple[Candidate, ...]
    degraded: tuple[str, ...] = ()


def read_each(said: Sequence[Utterance]) -> dict[Utterance, Reading]:
    """What each of these says. To be called outside any transaction."""
    return {utterance: read(utterance) for utterance in said}


def sentences_of(readings: Mapping[Utterance, Reading]) -> list[str]:
    """Every candidate's sentence as search would see it, in order."""
    found = (candidate for reading in readings.values() for candidate in reading.candidates)
    return [indexing.item_text(one.category, one.content) for one in found]


def with_vectors(
    readings: Mapping[Utterance, Reading], vectors: Sequence[Vector], model_id: str
) -> dict[Utterance, list[Found]]:
    """The candidates with the vectors of ``sentences_of``."""
    each = iter(vectors)
    return {said: [Found(one, next(each), model_id) for one in of.candidates] for said, of in readings.items()}


def read(utterance: Utterance) -> Reading:
    """The candidates of one message, by rules and by the gate; where sentences cannot be embedded by rules alone.

    A small model amends them later (see ``memory.evolution.model_amendment``).
    """
    by_rules = analyze(utterance)
    try:
        return Reading(tuple(with_statements(by_rules, utterance)))
    except EmbeddingUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        log.warning("sentences_not_judged", error=type(error).__name__)
        return Reading(tuple(by_rules), (error.code,))
