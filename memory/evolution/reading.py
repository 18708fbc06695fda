"""Reading messages outside any transaction, at once, by what needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.evolution.analysis import analyze
from memory.evolution.types import Candidate, Utterance
from memory.indexing import services as indexing

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
    """The candidates of one message, by rules: a small model amends them later (see ``memory.evolution.amending``)."""
    return Reading(tuple(analyze(utterance)))
