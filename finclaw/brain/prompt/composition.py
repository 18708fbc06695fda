"""Turns what was recalled, known and said into a prompt that fits the model's window. Pure.

Divide the window, choose the memories, cut the rest to its slots, dropping the oldest or the least relevant, and build.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import accumulate
from types import MappingProxyType
from typing import Final, TypeVar

from finclaw.brain.prompt.budget import (
    Allocation,
    FixedNeeds,
    ModelLimits,
    Slot,
    TruncationPolicy,
    TurnSignals,
    baseline_of,
    divide_block,
    divide_window,
)
from finclaw.brain.prompt.layers import PromptParts, build_block, build_prompt, snippet_element, summary_element
from finclaw.brain.prompt.memory_lines import LIST_TOKENS
from finclaw.brain.prompt.selection import assemble
from finclaw.brain.prompt.window_steps import skipped_messages
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate
from foundation.llm import Message, Prompt
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from knowledge.types import Snippet

NO_TOKENS: Final[Mapping[str, int]] = MappingProxyType({})
RICH_MEMORY = 8.0  # relevant confident statements at which memory counts as rich: the usual number of search results
_ENTITIES_TAG: Final = estimate_tokens("<entities></entities>")
_PAIR_MARKS: Final = estimate_tokens(":,")
PromptPiece = TypeVar("PromptPiece")


@dataclass(frozen=True)
class ComposedPrompt:
    """A prompt, the parts it was built from, and the decisions on its memories."""

    prompt: Prompt
    parts: PromptParts
    assembly: Assembly


def compose_prompt(
    parts: PromptParts,
    candidates: Sequence[PromptCandidate],
    limits: ModelLimits,
    policy: TruncationPolicy,
    *,
    depth: int = 0,
    refused: Sequence[CandidateDecision] = (),
    slot_tokens: Mapping[str, int] = NO_TOKENS,
) -> ComposedPrompt:
    """The prompt made of ``parts`` and of the memories chosen from ``candidates``; ``refused`` were decided before.

    ``depth`` counts the replies so far; ``slot_tokens`` are the usual tokens of slots that an experiment varies.
    Prompt, reply and margin always fit the window together, with the message whole. Raises ``ValidationFailed`` for a
    message that the window cannot hold.
    """
    needs = FixedNeeds(_fixed_tokens(parts), estimate_tokens(parts.message), limits.longest_reply)
    signals = TurnSignals(_memory_richness(candidates), _knowledge_relevance(parts.knowledge), depth)
    slots = divide_window(limits.window, needs, signals, policy, baseline_of(slot_tokens))
    assembly = assemble(candidates, parts.intent, slots[Slot.PERSONAL_CONTEXT])
    whole = _fit_parts(replace(parts, memories=assembly.injected), slots)
    budget = {slot.value: tokens for slot, tokens in slots.items()}
    decided = replace(assembly, decisions=(*assembly.decisions, *refused), budget=budget)
    return ComposedPrompt(build_prompt(whole), whole, decided)


@dataclass(frozen=True)
class ComposedBlock:
    """Text for a prompt that is made elsewhere, the parts in it, and the decisions on its memories."""

    text: SafeText
    parts: PromptParts
    assembly: Assembly


def compose_block(
    parts: PromptParts,
    candidates: Sequence[PromptCandidate],
    tokens: int,
    policy: TruncationPolicy,
    *,
    depth: int = 0,
    refused: Sequence[CandidateDecision] = (),
) -> ComposedBlock:
    """What ``compose_prompt`` would show of memory and knowledge, in at most ``tokens``: the same choice and cuts."""
    bare = build_block(replace(parts, memories=(), knowledge=(), summaries=()))
    room = max(0, tokens - estimate_tokens(bare) - LIST_TOKENS)
    signals = TurnSignals(_memory_richness(candidates), _knowledge_relevance(parts.knowledge), depth)
    assembly = assemble(candidates, parts.intent, room)
    needed = {
        Slot.KNOWLEDGE_CONTEXT: sum(map(_token_size(snippet_element), parts.knowledge)),
        Slot.SUMMARY_BLOCKS: sum(map(_token_size(summary_element), parts.summaries)),
        Slot.PERSONAL_CONTEXT: (used := assembly.budget[Slot.PERSONAL_CONTEXT]),
    }
    slots = divide_block(room, needed, signals, policy)
    if slots[Slot.PERSONAL_CONTEXT] < used:  # less room is left for memories than they took: choose again
        assembly = assemble(candidates, parts.intent, slots[Slot.PERSONAL_CONTEXT])
    whole = _fit_parts(replace(parts, memories=assembly.injected, entity_slots={}, recent=()), slots)
    decided = replace(assembly, decisions=(*assembly.decisions, *refused))
    return ComposedBlock(build_block(whole), whole, decided)


def _memory_richness(candidates: Sequence[PromptCandidate]) -> float:
    """How much relevant and certain memory there is, 0.0 to 1.0: confidences added up, divided by ``RICH_MEMORY``."""
    certain = sum(
        candidate.confidence or 0.0 for candidate in candidates if candidate.kind == "item" and candidate.relevant
    )
    return min(1.0, certain / RICH_MEMORY)


def _knowledge_relevance(snippets: Sequence[Snippet]) -> float | None:
    """The best score among the facts found, 0.0 to 1.0; None without facts. Rules always apply and say nothing about
    relevance.
    """
    if not snippets:
        return None
    return min(1.0, max((snippet.score for snippet in snippets if snippet.kind == "fact"), default=0.0))


def _fixed_tokens(parts: PromptParts) -> int:
    """Tokens of the prompt without any memory: policy, persona, guides and the stated context."""
    bare = build_prompt(replace(parts, message="", memories=(), knowledge=(), entity_slots={}, summaries=(), recent=()))
    return sum(map(estimate_tokens, bare.texts)) + LIST_TOKENS


def _fit_parts(parts: PromptParts, slots: Allocation) -> PromptParts:
    """``parts`` cut to ``slots``: knowledge best first; summaries, entities and messages latest first."""
    return replace(
        parts,
        knowledge=_take_first(parts.knowledge, _token_size(snippet_element), slots[Slot.KNOWLEDGE_CONTEXT]),
        summaries=_take_last(parts.summaries, _token_size(summary_element), slots[Slot.SUMMARY_BLOCKS]),
        entity_slots=_latest_entities(parts.entity_slots, slots[Slot.ENTITY_SLOTS]),
        recent=_latest_messages(parts, slots[Slot.ACTIVE_WINDOW]),
    )


def _latest_messages(parts: PromptParts, room: int) -> Sequence[Message]:
    """The latest messages that fit ``room`` tokens, beginning at a step (see ``window_steps``)."""
    kept = _take_last(parts.recent, lambda message: sum(map(estimate_tokens, message.texts)), room)
    seq = parts.recent_from + len(parts.recent) - len(kept)
    return kept[skipped_messages(seq, len(kept)) :]


def _token_size(render: Callable[[PromptPiece], SafeText]) -> Callable[[PromptPiece], int]:
    return lambda piece: estimate_tokens(render(piece))


def _take_first(
    pieces: Sequence[PromptPiece], size: Callable[[PromptPiece], int], room: int
) -> tuple[PromptPiece, ...]:
    """The leading pieces that fit ``room`` tokens together."""
    used = accumulate(map(size, pieces))
    return tuple(piece for piece, tokens in zip(pieces, used, strict=True) if tokens <= room)


def _take_last(pieces: Sequence[PromptPiece], size: Callable[[PromptPiece], int], room: int) -> tuple[PromptPiece, ...]:
    """The trailing pieces that fit ``room`` tokens together, in their order."""
    return _take_first(pieces[::-1], size, room)[::-1]


def _latest_entities(slots: Mapping[SafeText, Sequence[SafeText]], room: int) -> dict[SafeText, list[SafeText]]:
    """The latest values of each slot; where not all fit, each slot gets one value before any gets a second."""
    latest = sorted(
        ((age, name, value) for name, values in slots.items() for age, value in enumerate(reversed(values))),
        key=lambda found: found[0],
    )
    kept = Counter(name for _, name, _ in _take_first(latest, _entity_tokens, room - _ENTITIES_TAG))
    return {name: list(values[-kept[name] :]) for name, values in slots.items() if kept[name]}


def _entity_tokens(entity: tuple[int, SafeText, SafeText]) -> int:
    _, name, value = entity
    return estimate_tokens(escape(name)) + estimate_tokens(escape(value)) + _PAIR_MARKS
