"""Answers one part of a piece of research: by a model whose answer is checked, else from the material by rule."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog

from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.dates import known_time_of
from finclaw.brain.material.lookahead import find_postdated, statements_known_by
from finclaw.brain.material.reading import PROMPT, MaterialReading, sentences
from finclaw.brain.research.comparison import SAME_MATTER, shared_words
from finclaw.brain.research.parts import MOST_STATEMENTS, SCHEMA, ResearchPart, material_text, part_prompt
from foundation.language import (
    normalize,
)
from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, Prompt, model_id_for
from foundation.llm.offline_model import MODEL_OFFLINE, OFFLINE_MODEL_ID
from foundation.telemetry.degradations import report_degraded
from memory.research.types import ResearchStatement, StatementSource

log = structlog.get_logger(__name__)
ANALYSIS_FALLBACK: Final = "analysis_fallback"
ASKED_AT_MOST: Final = 2
MODEL: Final = StatementSource("model")
_MAX_TOKENS: Final = 2_000
_ENDS: Final = " \t.,;!?。，；！？"
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class PartAnswer:
    """The statements of one part and the model behind them.

    ``unfounded`` counts those left out for a figure that the material lacks; ``postdated`` and ``too_long`` are those
    left out for their date and for their length.
    """

    statements: tuple[ResearchStatement, ...]
    model_id: str
    unfounded: int = 0
    postdated: tuple[ResearchStatement, ...] = ()
    too_long: tuple[ResearchStatement, ...] = ()


def answer_part(part: ResearchPart, brief: ResearchBrief, reading: MaterialReading, model: LanguageModel) -> PartAnswer:
    """Answer one part for the brief. Call outside any transaction."""
    answer = None if model.is_offline else ask_structured(part_prompt(part, brief), SCHEMA, model)
    if answer is None:
        return _answer_by_rule(part.offline(reading), brief, model)
    texts = [" ".join(entry["text"].split()) for entry in answer.value["statements"]]
    said = [ResearchStatement(text, known_time_of(text), _find_sources(text, brief)) for text in texts]
    known = statements_known_by(said, brief.as_of)
    founded = tuple(statement for statement in known if is_grounded(statement.text, material_text(brief)))
    postdated = find_postdated(said, brief.as_of)
    return PartAnswer(founded, answer.model_id, unfounded=len(known) - len(founded), postdated=postdated)


def _answer_by_rule(found: Sequence[ResearchStatement], brief: ResearchBrief, model: LanguageModel) -> PartAnswer:
    """Statements from the material: at most ``MOST_STATEMENTS`` new ones, and as many that the thread held before."""
    report_rule_used(model)
    repeated = [statement for statement in found if statement in brief.earlier_statements]
    new = [statement for statement in found if statement not in brief.earlier_statements]
    kept = (*new[:MOST_STATEMENTS], *repeated[:MOST_STATEMENTS])
    cut = (*new[MOST_STATEMENTS:], *repeated[MOST_STATEMENTS:])
    return PartAnswer(kept, OFFLINE_MODEL_ID, too_long=cut)


@dataclass(frozen=True)
class StructuredAnswer:
    """An answer that satisfies its schema, and the model that gave it."""

    value: Mapping[str, Any]
    model_id: str


def ask_structured(prompt: Prompt, schema: Mapping[str, Any], model: LanguageModel) -> StructuredAnswer | None:
    """The model's answer that satisfies the schema, after one repetition at most; None where it fails."""
    for _ in range(ASKED_AT_MOST):
        try:
            reply = model.call(prompt, model_id_for("large"), kind="research", schema=schema, max_tokens=_MAX_TOKENS)
        except MalformedReply:
            continue
        except ModelUnavailable:
            break
        return StructuredAnswer(json.loads(reply.text), reply.model_id)
    log.info("research_part_by_rule")
    return None


def is_grounded(text: str, given: str) -> bool:
    """Whether every figure of ``text`` stands in ``given``."""
    return set(_FIGURE.findall(normalize(text))) <= set(_FIGURE.findall(normalize(given)))


def report_rule_used(model: LanguageModel) -> None:
    """Report that a part was made by rule, without the model."""
    report_degraded(MODEL_OFFLINE if model.is_offline else ANALYSIS_FALLBACK)


def _find_sources(text: str, brief: ResearchBrief) -> tuple[StatementSource, ...]:
    """Sources of the statement that the text repeats; else the model, and those of similar statements of the thread."""
    said = _comparable_text(text)
    if any(said in _comparable_text(sentence) for sentence in sentences(brief.prompt)):
        return (PROMPT,)
    repeated = next(
        (statement.sources for statement in brief.earlier_statements if said in _comparable_text(statement.text)), None
    )
    return repeated or tuple(dict.fromkeys((MODEL, *_close_sources(text, brief))))


def _close_sources(text: str, brief: ResearchBrief) -> Iterator[StatementSource]:
    for statement in brief.earlier_statements:
        if shared_words(statement.text, text) >= SAME_MATTER:
            yield from statement.sources


def _comparable_text(text: str) -> str:
    return normalize(text).strip(_ENDS)
