"""One part from a model that is checked, or else from the material by rule."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog

from finclaw.brain.research.dates import dated
from finclaw.brain.research.objective import Objective
from finclaw.brain.research.parts import MOST_STATEMENTS, SCHEMA, Part, material, prompt_for
from finclaw.brain.research.reading import PROMPT, Reading
from finclaw.brain.turn import MODEL_OFFLINE
from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, Prompt, model_id_for
from foundation.llm.offline import OFFLINE_MODEL_ID
from foundation.telemetry.metrics import DEGRADED
from foundation.text import normalize
from memory.research.types import Source, Statement

log = structlog.get_logger(__name__)
ANALYSIS_FALLBACK: Final = "analysis_fallback"
ASKED_AT_MOST: Final = 2
_MAX_TOKENS: Final = 2_000
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Answer:
    """The statements of one part, the model behind them, how many of its statements were left out for a figure that
    the material does not hold, and what ran degraded.
    """

    statements: tuple[Statement, ...]
    model_id: str
    unfounded: int = 0
    degraded: tuple[str, ...] = ()


def ask(part: Part, objective: Objective, reading: Reading, model: LanguageModel) -> Answer:
    """One part of the objective. Call outside any transaction."""
    answer = None if model.is_offline else structured(prompt_for(part, objective), SCHEMA, model)
    if answer is None:
        return Answer(part.offline(reading)[:MOST_STATEMENTS], OFFLINE_MODEL_ID, degraded=(why_by_rule(model),))
    said = [" ".join(one["text"].split()) for one in answer.value["statements"]]
    founded = [text for text in said if is_founded(text, material(objective))]
    statements = tuple(Statement(text, dated(text), _sources_of(text, objective)) for text in founded)
    return Answer(statements, answer.model_id, unfounded=len(said) - len(founded))


@dataclass(frozen=True)
class Structured:
    """An answer that satisfies its schema, and the model that gave it."""

    value: Mapping[str, Any]
    model_id: str


def structured(prompt: Prompt, schema: Mapping[str, Any], model: LanguageModel) -> Structured | None:
    """The model's answer that satisfies the schema, asked for once more where it does not; None where it fails."""
    for _ in range(ASKED_AT_MOST):
        try:
            reply = model.call(prompt, model_id_for("large"), schema=schema, max_tokens=_MAX_TOKENS)
        except MalformedReply:
            continue
        except ModelUnavailable:
            break
        return Structured(json.loads(reply.text), reply.model_id)
    log.info("research_part_by_rule")
    return None


def is_founded(text: str, given: str) -> bool:
    """Whether every figure of ``text`` stands in what was given."""
    return set(_FIGURE.findall(normalize(text))) <= set(_FIGURE.findall(normalize(given)))


def why_by_rule(model: LanguageModel) -> str:
    """The degraded reason of a part that no model made; counted."""
    reason = MODEL_OFFLINE if model.is_offline else ANALYSIS_FALLBACK
    DEGRADED.labels(reason=reason).inc()
    return reason


def _sources_of(text: str, objective: Objective) -> tuple[Source, ...]:
    """Those of the thread's statement that it repeats, else the prompt."""
    repeated = (one.sources for one in objective.thread if one.text in text or text in one.text)
    return next(repeated, (PROMPT,))
