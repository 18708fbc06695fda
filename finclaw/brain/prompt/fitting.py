"""Cuts everything but the memories to its slot's tokens, dropping the oldest or the least relevant. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import accumulate
from typing import Final, TypeVar

from finclaw.brain.prompt.allocation import Allocation
from finclaw.brain.prompt.budget import Slot
from finclaw.brain.prompt.layers import PromptParts, build_prompt, snippet_element, summary_element
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens

_ENTITIES_TAG: Final = estimate_tokens("<entities></entities>")
_PAIR_MARKS: Final = estimate_tokens(":,")
PromptPiece = TypeVar("PromptPiece")


def fixed_tokens(parts: PromptParts) -> int:
    """Tokens of the prompt without any memory: policy, persona, guides and the stated context."""
    bare = build_prompt(replace(parts, memories=(), knowledge=(), entity_slots={}, summaries=(), recent=()))
    return estimate_tokens(bare.system) + estimate_tokens(bare.closing)


def fit_parts(parts: PromptParts, slots: Allocation) -> PromptParts:
    """``parts`` cut to ``slots``: knowledge best first; summaries, entities and messages latest first."""
    return replace(
        parts,
        knowledge=_take_first(parts.knowledge, _token_size(snippet_element), slots[Slot.KNOWLEDGE_CONTEXT]),
        summaries=_take_last(parts.summaries, _token_size(summary_element), slots[Slot.SUMMARY_BLOCKS]),
        entity_slots=_latest_entities(parts.entity_slots, slots[Slot.ENTITY_SLOTS]),
        recent=_take_last(parts.recent, lambda message: estimate_tokens(message.content), slots[Slot.ACTIVE_WINDOW]),
    )


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
