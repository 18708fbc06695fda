"""Shows what a version of the prompt would change: prompts of the evaluation set, in its words and in those before.

Without a model that is all that can be compared honestly: the prompts, their tokens, and what no longer fits in. For
each question memory holds what its person said, as if exactly the expected of it had been found. With a model its
answers to both prompts stand side by side; nobody judges them but the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from statistics import fmean
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from finclaw.brain.prompt.budget import Slot, configured_limits, configured_policy
from finclaw.brain.prompt.composition import ComposedPrompt, compose_prompt
from finclaw.brain.prompt.guides import PromptWording, guide_tokens
from finclaw.brain.prompt.layers import PromptParts
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.intent import classify
from foundation.language import ParsedMessage
from foundation.llm import LanguageModel
from foundation.llm.configuration import model_id_for
from foundation.sanitization.types import SanitizationResult
from foundation.text import estimate_tokens
from memory.evaluation.dataset import EvaluationPersona, EvaluationQuestion, EvaluationStatement, read_personas

QUESTIONS_OF_A_PERSON: Final = 3
"""How many questions of each person of the evaluation set are composed for a page."""
_CONFIDENCE: Final = 0.9


@dataclass(frozen=True)
class PreviewedPrompt:
    """One question with its prompt in the words of either version."""

    question: str
    before: ComposedPrompt
    after: ComposedPrompt


@dataclass(frozen=True)
class PromptFigures:
    """Figures of prompts in the words of one version: tokens of its guides, of whole prompts on average and at most,
    tokens left for what is remembered on average, and how many memories are shown in all.
    """

    guides: int
    mean_tokens: float
    most_tokens: int
    mean_room: float
    memories: int


@dataclass(frozen=True)
class PromptPreview:
    """Figures of both versions over the same ``prompts``."""

    prompts: int
    before: PromptFigures
    after: PromptFigures


def preview_prompt(before: PromptWording, after: PromptWording) -> PromptPreview:
    """The figures of both wordings over the evaluation set, with the configured window."""
    shown = list(preview_questions(before, after))
    return PromptPreview(
        len(shown),
        _figures(before, [one.before for one in shown]),
        _figures(after, [one.after for one in shown]),
    )


def preview_questions(
    before: PromptWording, after: PromptWording, of_each: int = QUESTIONS_OF_A_PERSON
) -> Iterator[PreviewedPrompt]:
    """The prompts of the first questions of each person of the evaluation set."""
    for persona in _personas():
        now = (question for question in persona.questions if not question.is_about_the_past)
        for question in islice(now, of_each):
            yield PreviewedPrompt(
                question.text, _compose(persona, question, before), _compose(persona, question, after)
            )


def answers_to(previewed: PreviewedPrompt, model: LanguageModel) -> tuple[str, str]:
    """The model's answers to both prompts. Raises ``ModelUnavailable``."""
    before, after = (
        model.call(composed.prompt, model_id_for("large"), kind="answer").text
        for composed in (previewed.before, previewed.after)
    )
    return before, after


@cache
def _personas() -> tuple[EvaluationPersona, ...]:
    return tuple(read_personas())


def _compose(persona: EvaluationPersona, question: EvaluationQuestion, wording: PromptWording) -> ComposedPrompt:
    parts = PromptParts(
        message=question.text,
        intent=classify(ParsedMessage(question.text)),
        memories=(),
        context={},
        entity_slots={},
        summaries=(),
        recent=(),
        ends_turn=True,
        wording=wording,
    )
    return compose_prompt(parts, [*_candidates(persona, question)], configured_limits(), configured_policy())


def _candidates(persona: EvaluationPersona, question: EvaluationQuestion) -> Iterator[PromptCandidate]:
    for statement in persona.statements:
        if not statement.who and statement.place == question.place:
            yield _candidate(persona, statement, relevant=statement.id in question.expected)


def _candidate(persona: EvaluationPersona, statement: EvaluationStatement, *, relevant: bool) -> PromptCandidate:
    candidate = PromptCandidate(
        "item",
        uuid5(NAMESPACE_URL, f"{persona.name}:{statement.id}"),
        statement.text,
        1.0,
        0,
        statement.at,
        confidence=_CONFIDENCE,
        relevant=relevant,
        sanitization=SanitizationResult.PASS,
    )
    return replace(candidate, tokens=memory_tokens(candidate))


def _figures(wording: PromptWording, composed: Iterable[ComposedPrompt]) -> PromptFigures:
    prompts = list(composed)
    tokens = [sum(map(estimate_tokens, one.prompt.texts)) for one in prompts]
    return PromptFigures(
        guide_tokens(wording),
        fmean(tokens),
        max(tokens),
        fmean(one.assembly.budget[Slot.PERSONAL_CONTEXT.value] for one in prompts),
        sum(len(one.assembly.injected) for one in prompts),
    )
