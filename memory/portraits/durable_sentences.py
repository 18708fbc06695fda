"""Selects the sentences of an event that are of lasting interest, by the rules and the gate of learning."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from django.utils import timezone

from foundation.embeddings import EmbeddingUnavailable
from foundation.telemetry.metrics import DEGRADED
from memory.evolution.gate import judge
from memory.portraits.line_eligibility import is_eligible
from memory.portraits.sentence_classifier import NOBODY, classify_sentence, first_person

log = structlog.get_logger(__name__)


def select_durable_sentences(sentences: Mapping[str, str]) -> frozenset[str]:
    """The sentences that teach something lasting about the user and can be read alone.

    ``sentences`` maps each sentence to the name that it uses for the user. A sentence is durable if a rule of learning
    finds something in it, or the gate would remember it. Call outside any transaction: sentences are embedded. If they
    cannot be embedded, none is durable.
    """
    try:
        return frozenset(sentence for sentence, name in sentences.items() if _is_durable(sentence, name))
    except EmbeddingUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        log.warning("sentences_not_judged", error=type(error).__name__)
        return frozenset()


def _is_durable(sentence: str, name: str) -> bool:
    told = sentence.removeprefix(name).strip() if name else sentence
    reading = classify_sentence(sentence, name, timezone.now())
    if not is_eligible(told, addressed=reading.is_style):
        return False
    judged = judge(first_person(sentence, (name, *NOBODY))) if reading.candidate is None else ()
    return reading.candidate is not None or (bool(judged) and all(judgement.band == "remember" for judgement in judged))
