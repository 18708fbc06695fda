"""Reading messages outside any transaction: by the small model where there is one, else by the offline analyzer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, configured_model, model_id_for
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.telemetry.metrics import DEGRADED
from memory.evolution.analysis import analyze
from memory.evolution.structured import SCHEMA, candidates_in, prompt_for
from memory.evolution.types import Candidate, KnownItem, Utterance
from memory.indexing import services as indexing

ANALYSIS_FALLBACK = "analysis_fallback"
MAX_ANSWER_TOKENS = 1_200
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


def read_each(job: Job, said: Sequence[Utterance], known: Sequence[KnownItem]) -> dict[Utterance, Reading]:
    """What each of these says. To be called outside any transaction: a model may be asked."""
    model = configured_model()
    readings: dict[Utterance, Reading] = {}
    for utterance in said:
        if not model.is_offline:
            outbox.renew(job.message)  # two answers may take longer than the job's lease
        readings[utterance] = read(utterance, known, model, urgent=job.message.priority == Priority.URGENT)
    return readings


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


def read(utterance: Utterance, known: Sequence[KnownItem], model: LanguageModel, *, urgent: bool = False) -> Reading:
    """The candidates of one message.

    A model that fails, or answers out of shape twice, leaves it to the rules (M-14). An ``urgent`` message that the
    rules understand waits for no model (seed B §2.3.0.1 A).
    """
    by_rules = tuple(analyze(utterance))
    if model.is_offline or (urgent and any(candidate.replaces for candidate in by_rules)):
        return Reading(by_rules)
    try:
        return Reading(tuple(_ask_twice(lambda: _ask(utterance, known, model))))
    except ModelUnavailable as error:
        DEGRADED.labels(reason=ANALYSIS_FALLBACK).inc()
        log.warning("analysis_fallback", reason=error.details.get("reason"))
        return Reading(by_rules, (ANALYSIS_FALLBACK,))


def _ask_twice(ask: Callable[[], list[Candidate]]) -> list[Candidate]:
    try:
        return ask()
    except MalformedReply:
        return ask()


def _ask(utterance: Utterance, known: Sequence[KnownItem], model: LanguageModel) -> list[Candidate]:
    prompt = prompt_for(utterance, known)
    reply = model.call(prompt, model_id_for("small"), schema=SCHEMA, max_tokens=MAX_ANSWER_TOKENS)
    return candidates_in(reply.text, utterance, known)
