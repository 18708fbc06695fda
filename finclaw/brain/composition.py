"""From what was recalled, known and said to the prompt that the window holds (M-23).

divide the window → choose the memories → make the rest fit → build. ``compose_prompt`` and what it calls are pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings

from finclaw.brain.allocation import (
    BudgetAllocator,
    DynamicContextBudgetAllocator,
    FixedNeeds,
    TurnSignals,
    divide_window,
    receipt_quota,
)
from finclaw.brain.assembler import assemble
from finclaw.brain.budget import Slot
from finclaw.brain.budget_fit import fit_parts, fixed_tokens
from finclaw.brain.prompt import PromptParts, build_prompt
from finclaw.brain.truncation import POLICIES
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate
from foundation.llm import Prompt
from foundation.text import estimate_tokens
from knowledge.types import Snippet

RICH_MEMORY = 8.0  # confident statements that bear on a message: as rich as the searches find (seed B §4.1 step 1.3)


@dataclass(frozen=True)
class ModelLimits:
    """What the model allows, in tokens: its whole window, and the longest reply."""

    window: int
    longest_reply: int


def configured_limits() -> ModelLimits:
    """The limits that the settings name."""
    return ModelLimits(settings.MODEL_CONTEXT_WINDOW, settings.MODEL_MAX_OUTPUT_TOKENS)


def configured_allocator() -> BudgetAllocator:
    """The dynamic allocator with the strategy that the settings name."""
    return DynamicContextBudgetAllocator(POLICIES[settings.TRUNCATION_POLICY]())


@dataclass(frozen=True)
class ComposedPrompt:
    """The prompt, the decisions behind it, and what ran degraded."""

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
    """The prompt of ``parts``, whose memories are chosen here from ``candidates``; ``refused`` were decided before.

    ``depth`` counts the replies so far. Whatever comes in, prompt, reply and margin together fit the window, and the
    message stands whole. Raises ``ValidationFailed`` for a message that the window cannot hold.
    """
    needs = FixedNeeds(fixed_tokens(parts), estimate_tokens(parts.message), limits.longest_reply)
    signals = TurnSignals(memory_richness(candidates), knowledge_relevance(parts.knowledge), depth)
    slots, degraded = divide_window(limits.window, needs, signals, allocator)
    assembly = assemble(candidates, parts.intent, slots[Slot.PERSONAL_CONTEXT])
    whole = fit_parts(replace(parts, memories=assembly.injected), slots)
    decided = replace(assembly, decisions=(*assembly.decisions, *refused), budget=receipt_quota(slots))
    return ComposedPrompt(build_prompt(whole), whole, decided, degraded)


def memory_richness(candidates: Sequence[PromptCandidate]) -> float:
    """How much there is to say of the person, 0.0 to 1.0: relevant statements, each as far as it is certain."""
    certain = sum(
        candidate.confidence or 0.0 for candidate in candidates if candidate.kind == "item" and candidate.relevant
    )
    return min(1.0, certain / RICH_MEMORY)


def knowledge_relevance(snippets: Sequence[Snippet]) -> float | None:
    """The best score among the facts found, 0.0 to 1.0; None where nothing was. Rules hold always, and tell nothing."""
    if not snippets:
        return None
    return min(1.0, max((snippet.score for snippet in snippets if snippet.kind == "fact"), default=0.0))
