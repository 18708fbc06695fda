"""Chooses which candidates enter the prompt within its budget, each thing once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from itertools import accumulate
from typing import Final
from uuid import UUID

from finclaw.brain.prompt.budget import BOUNDS, Slot, personal_budget
from finclaw.brain.prompt.layers import element_tokens
from finclaw.brain.types import Assembly, CandidateDecision, CandidateKind, Intent, PromptCandidate, with_positions
from foundation.sanitization.types import SanitizationResult
from foundation.text import estimate_tokens
from memory.mentions import Terms, core_terms

STATED_OUTRIGHT = 0.8  # confidence from which on an answer may refer to a memory without hedging
OF_EVERY_ANSWER: Final = frozenset({"reply_style", "language.reply", "address", "instruction"})
"""Slots of preferences that apply to every answer."""
OF_ADVICE: Final = frozenset({"constraint.avoid", "constraint.limit", "risk", "horizon"})
"""Slots of preferences that apply to all advice."""
STANDING: Final = "standing"
"""The receipt's reason for a portrait: it stands in every prompt."""
PORTRAITS_PART: Final = 3
"""Portraits get at most one part in this many of the personal context: they are broad, and seldom specific to a
message.
"""
_ORDER: dict[CandidateKind, int] = {"profile": 0, "item": 1, "event": 2, "turn": 3, "context": 4, "summary": 5}
MOST_OF_IT: Final = 0.75
"""Of a message's own terms: one that says more than its memories hold is worth its room."""


def assemble(
    candidates: Sequence[PromptCandidate], intent: Intent, slot: int = BOUNDS[Slot.PERSONAL_CONTEXT].usual
) -> Assembly:
    """Take relevant candidates while they fit the intent's share of ``slot`` tokens, and order them U-shaped.

    Portraits come before statements, statements before events, events before raw messages; within a kind the score
    decides. Models attend to both ends of a context: after the portraits the best candidate stands first and the second
    best last. Each candidate is decided once.
    """
    budget = personal_budget(intent.intent_type, slot)
    ordered = sorted(candidates, key=lambda candidate: (_ORDER[candidate.kind], -candidate.score))
    ranked = fit_portraits(ordered, budget // PORTRAITS_PART)
    asks_for_all = intent.intent_type == "memory_check" and not any(candidate.relevant for candidate in ranked)
    decisions, used, exceeded, told = list[CandidateDecision](), 0, False, DuplicateFilter()
    for candidate in ranked:
        refused = _refusal_reason(candidate, intent, asks_for_all=asks_for_all) or told.refusal(candidate)
        if refused is None and used + candidate.tokens > budget:
            refused, exceeded = "budget_exceeded", True
        if refused is None:
            used += candidate.tokens
            told.add(candidate)
        reason = refused or _acceptance_reason(candidate, asks_for_all=asks_for_all)
        decisions.append(CandidateDecision(candidate, refused is None, reason))
    return Assembly(tuple(_place_decisions(decisions)), {Slot.PERSONAL_CONTEXT.value: used}, exceeded)


def fit_portraits(candidates: Iterable[PromptCandidate], room: int) -> list[PromptCandidate]:
    """The candidates in their order, portraits together at most ``room`` tokens.

    Each portrait is cut after its last line that fits; one left without lines is marked as refused for lack of room.
    """
    found = []
    for candidate in candidates:
        if candidate.kind == "profile" and not candidate.left_out:
            candidate = _cut_portrait(candidate, room)
            room -= 0 if candidate.left_out else candidate.tokens
        found.append(candidate)
    return found


def _cut_portrait(portrait: PromptCandidate, room: int) -> PromptCandidate:
    if portrait.tokens <= room:
        return portrait
    left = room - element_tokens(replace(portrait, text=""))
    lines = portrait.text.splitlines()
    sizes = accumulate(estimate_tokens(escape(line)) for line in lines)
    text = "\n".join(line for line, size in zip(lines, sizes, strict=True) if size <= left).strip()
    if not text:
        return replace(portrait, left_out="budget_exceeded")
    cut = replace(portrait, text=text)
    return replace(cut, tokens=element_tokens(cut))


def _refusal_reason(candidate: PromptCandidate, intent: Intent, *, asks_for_all: bool) -> str | None:
    """Why a candidate is left out whatever the room, or None.

    Outdated memories are shown only where the user asks what is remembered.
    """
    if candidate.sanitization == SanitizationResult.BLOCKED:
        return "blocked"
    if candidate.left_out or candidate.kind == "profile":
        return candidate.left_out or None
    if candidate.epistemic_type == "outdated" and intent.intent_type != "memory_check":
        return "outdated"
    if candidate.kind != "item":
        return None if candidate.relevant and intent.intent_type != "small_talk" else "relevance"
    return None if candidate.relevant or asks_for_all or _applies_always(candidate, intent) else "relevance"


def _acceptance_reason(candidate: PromptCandidate, *, asks_for_all: bool) -> str:
    """Why a candidate is taken: it is relevant to the message, or it is a stated preference that applies to every such
    answer. A user who asks what is remembered, naming nothing, is shown the latest statements.
    """
    if candidate.kind == "profile":
        return STANDING
    if candidate.relevant:
        return "relevance"
    return "recency" if asks_for_all and candidate.kind == "item" else "confidence"


def _applies_always(candidate: PromptCandidate, intent: Intent) -> bool:
    """Whether the candidate is a stated preference that applies to every answer or, for a request for advice, to all
    advice.
    """
    if candidate.epistemic_type != "preference" or (candidate.confidence or 0) < STATED_OUTRIGHT:
        return False
    if candidate.memory_type == "persona_preference" or candidate.slot in OF_EVERY_ANSWER:
        return True
    return intent.intent_type == "research" and candidate.slot in OF_ADVICE


def u_shape(count: int) -> list[int]:
    """The position, from 1, of each rank: 1st first, 2nd last, 3rd second, 4th second to last, …

    >>> u_shape(5)
    [1, 5, 2, 4, 3]
    """
    return [rank // 2 + 1 if rank % 2 == 0 else count - rank // 2 for rank in range(count)]


def _place_decisions(decisions: Sequence[CandidateDecision]) -> list[CandidateDecision]:
    """Positions for the accepted candidates: portraits first in their rank, the others U-shaped after them."""
    taken = [decision.candidate.kind == "profile" for decision in decisions if decision.accepted]
    portraits = sum(taken)
    shaped = (portraits + place for place in u_shape(len(taken) - portraits))
    return with_positions(decisions, [*range(1, portraits + 1), *shaped])


class DuplicateFilter:
    """Remembers what the memories taken so far say of the messages they were learned from."""

    def __init__(self) -> None:
        self._terms: dict[UUID, Terms] = {}

    def add(self, memory: PromptCandidate) -> None:
        """Record a memory that enters the prompt."""
        if memory.said_in:
            terms = core_terms(memory.text)
            for message in memory.said_in:
                self._terms[message] = self._terms.get(message, frozenset()) | terms

    def refusal(self, candidate: PromptCandidate) -> str | None:
        """``duplicate`` for a message that adds nothing to the memories learned from it, else None."""
        said = self._terms.get(candidate.id)
        if said is None:
            return None
        terms = core_terms(candidate.text)
        return "duplicate" if len(terms & said) >= MOST_OF_IT * len(terms) else None
