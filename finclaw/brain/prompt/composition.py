"""Turns what was recalled, known and said into a prompt that fits the model's window.

Divide the window, choose the memories, fit the rest, build. ``compose_prompt`` and what it calls are pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings

from finclaw.brain.prompt.allocation import (
    BudgetAllocator,
    DynamicContextBudgetAllocator,
    FixedNeeds,
    TurnSignals,
    divide_window,
    receipt_quota,
)
from finclaw.brain.prompt.budget import Slot
from finclaw.brain.prompt.fitting import fit_parts, fixed_tokens
from finclaw.brain.prompt.layers import PromptParts, build_prompt
from finclaw.brain.prompt.selection import assemble
from finclaw.brain.prompt.truncation import POLICIES
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate
from foundation.llm import Prompt
from foundation.text import estimate_tokens
from knowledge.types import Snippet

RICH_MEMORY = 8.0  # relevant confident statements at which memory counts as rich: the usual number of search results


@dataclass(frozen=True)
class ModelLimits:
    """The model's limits in tokens: its whole window, and the longest reply."""

    window: int
    longest_reply: int


def configured_limits() -> ModelLimits:
    return ModelLimits(settings.MODEL_CONTEXT_WINDOW, settings.MODEL_MAX_OUTPUT_TOKENS)


def configured_allocator() -> BudgetAllocator:
    """The dynamic allocator with the truncation policy that the settings name."""
    return DynamicContextBudgetAllocator(POLICIES[settings.TRUNCATION_POLICY]())


@dataclass(frozen=True)
class ComposedPrompt:
    """A prompt, the decisions on its memories, and what ran degraded."""

    prompt: Prompt
    parts: PromptParts
    assembly: Assembly
    degraded: tuple[str, ...]


def compose_prompt(
    parts: PromptParts,
    candidates: Sequence[PromptCandidate],
    limits: ModelLimits,
    allocator: BudgetAllocator,
    *,
    depth: int = 0,
    refused: Sequence[CandidateDecision] = (),
) -> ComposedPrompt:
    """The prompt made of ``parts`` and of the memories chosen from ``candidates``; ``refused`` were decided before.

    ``depth`` counts the replies so far. Prompt, reply and margin always fit the window together, with the message
    whole. Raises ``ValidationFailed`` for a message that the window cannot hold.
    """
    needs = FixedNeeds(fixed_tokens(parts), estimate_tokens(parts.message), limits.longest_reply)
    signals = TurnSignals(memory_richness(candidates), knowledge_relevance(parts.knowledge), depth)
    slots, degraded = divide_window(limits.window, needs, signals, allocator)
    assembly = assemble(candidates, parts.intent, slots[Slot.PERSONAL_CONTEXT])
    whole = fit_parts(replace(parts, memories=assembly.injected), slots)
    decided = replace(assembly, decisions=(*assembly.decisions, *refused), budget=receipt_quota(slots))
    return ComposedPrompt(build_prompt(whole), whole, decided, degraded)


def memory_richness(candidates: Sequence[PromptCandidate]) -> float:
    """How much relevant and certain memory there is, 0.0 to 1.0: confidences added up, divided by ``RICH_MEMORY``."""
    certain = sum(
        candidate.confidence or 0.0 for candidate in candidates if candidate.kind == "item" and candidate.relevant
    )
    return min(1.0, certain / RICH_MEMORY)


def knowledge_relevance(snippets: Sequence[Snippet]) -> float | None:
    """The best score among the facts found, 0.0 to 1.0; None without facts. Rules always apply and say nothing about
    relevance.
    """
    if not snippets:
        return None
    return min(1.0, max((snippet.score for snippet in snippets if snippet.kind == "fact"), default=0.0))
