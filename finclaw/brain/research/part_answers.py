"""One part from a model that is checked, or else from the material by rule."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog

from finclaw.brain.research.comparison import SAME_MATTER, shared_words
from finclaw.brain.research.dates import dated
from finclaw.brain.research.lookahead import known_then, later_than
from finclaw.brain.research.material_reading import PROMPT, Reading, sentences
from finclaw.brain.research.objective import Objective
from finclaw.brain.research.parts import MOST_STATEMENTS, SCHEMA, Part, given, prompt_for
from finclaw.brain.turn_records import MODEL_OFFLINE
from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, Prompt, model_id_for
from foundation.llm.offline import OFFLINE_MODEL_ID
from foundation.telemetry.metrics import DEGRADED
from foundation.text import normalize
from memory.research.types import ResearchStatement, StatementSource

log = structlog.get_logger(__name__)
ANALYSIS_FALLBACK: Final = "analysis_fallback"
ASKED_AT_MOST: Final = 2
MODEL: Final = StatementSource("model")
_MAX_TOKENS: Final = 2_000
_ENDS: Final = " \t.,;!?。，；！？"
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Answer:
    """The statements of one part, the model behind them, how many of its statements were left out for a figure that
    the material does not hold, which for their date and which for length, and what ran degraded.
    """

    statements: tuple[ResearchStatement, ...]
    model_id: str
    unfounded: int = 0
    later: tuple[ResearchStatement, ...] = ()
    cut: tuple[ResearchStatement, ...] = ()
    degraded: tuple[str, ...] = ()


def ask(part: Part, objective: Objective, reading: Reading, model: LanguageModel) -> Answer:
    """One part of the objective. Call outside any transaction."""
    answer = None if model.is_offline else structured(prompt_for(part, objective), SCHEMA, model)
    if answer is None:
        return _by_rule(part.offline(reading), objective, why_by_rule(model))
    texts = [" ".join(one["text"].split()) for one in answer.value["statements"]]
    said = [ResearchStatement(text, dated(text), _sources_of(text, objective)) for text in texts]
    known = known_then(said, objective.as_of)
    founded = tuple(one for one in known if is_founded(one.text, given(objective)))
    later = later_than(said, objective.as_of)
    return Answer(founded, answer.model_id, unfounded=len(known) - len(founded), later=later)


def _by_rule(found: Sequence[ResearchStatement], objective: Objective, why: str) -> Answer:
    """What is new never pushes out what the thread held: each has its share."""
    held = [one for one in found if one in objective.thread]
    new = [one for one in found if one not in objective.thread]
    kept = (*new[:MOST_STATEMENTS], *held[:MOST_STATEMENTS])
    cut = (*new[MOST_STATEMENTS:], *held[MOST_STATEMENTS:])
    return Answer(kept, OFFLINE_MODEL_ID, cut=cut, degraded=(why,))


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


def _sources_of(text: str, objective: Objective) -> tuple[StatementSource, ...]:
    """Those of what it repeats; else the model that wrote it, and whatever of the thread it is close to."""
    said = _bare(text)
    if any(said in _bare(one) for one in sentences(objective.prompt)):
        return (PROMPT,)
    repeated = next((one.sources for one in objective.thread if said in _bare(one.text)), None)
    return repeated or tuple(dict.fromkeys((MODEL, *_close_to(text, objective))))


def _close_to(text: str, objective: Objective) -> Iterator[StatementSource]:
    for one in objective.thread:
        if shared_words(one.text, text) >= SAME_MATTER:
            yield from one.sources


def _bare(text: str) -> str:
    return normalize(text).strip(_ENDS)
