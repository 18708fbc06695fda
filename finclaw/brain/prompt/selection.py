"""Chooses which candidates enter the prompt within its budget, each thing once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from itertools import accumulate
from typing import Final
from uuid import UUID

from finclaw.brain.prompt.budget import BOUNDS, Slot, personal_budget
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.types import Assembly, CandidateDecision, CandidateKind, Intent, PromptCandidate, with_positions
from foundation.language import split_sentences
from foundation.llm.prompt_elements import CERTAIN_CONFIDENCE
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SanitizationResult
from foundation.text import estimate_tokens
from memory.importing.chats.exported_chats import ASSISTANTS as CHAT_ASSISTANTS
from memory.mentions import Terms, core_terms
from memory.types import ASSISTANT, IMPORTED_ASSISTANT

EVERY_ANSWER_SLOTS: Final = frozenset({"reply_style", "language.reply", "address", "instruction"})
"""Slots of preferences that apply to every answer."""
ADVICE_SLOTS: Final = frozenset({"constraint.avoid", "constraint.limit", "risk", "horizon"})
"""Slots of preferences that apply to all advice."""
IN_EVERY_PROMPT: Final = "standing"
"""The receipt's reason for a portrait: it stands in every prompt."""
PORTRAITS_PART: Final = 3
"""Portraits get at most one part in this many of the personal context: they are broad, and seldom specific to a
message.
"""
_ORDER: dict[CandidateKind, int] = {
    "profile": 0,
    "item": 1,
    "event": 2,
    "turn": 3,
    "document": 4,
    "context": 5,
    "summary": 6,
}
HALF_OF_IT: Final = 0.5
"""Share of a sentence's terms. Where the memories learned from its message hold as many, the sentence is left out."""
MOST_OF_IT: Final = 0.75
"""Share of a reply's terms. Where the prompt holds as many already, the reply only repeats it."""
DUPLICATE: Final = "duplicate"
"""The receipt's reason for what the prompt says already."""
ASSISTANTS: Final = frozenset({ASSISTANT, IMPORTED_ASSISTANT, *CHAT_ASSISTANTS.values()})
"""The names that answers stand under, ours and those of imported chats."""


def assemble(
    candidates: Sequence[PromptCandidate], intent: Intent, slot: int = BOUNDS[Slot.PERSONAL_CONTEXT].usual
) -> Assembly:
    """Take relevant candidates while they fit the intent's share of ``slot`` tokens, and order them U-shaped.

    Portraits come before statements, statements before events, events before raw messages; within a kind the score
    decides. Models attend to both ends of a context: after the portraits the best candidate stands first and the second
    best last. Each candidate is decided once.
    """
    budget = personal_budget(intent.intent_type, slot)
    ordered = sorted(candidates, key=_rank)
    ranked = fit_portraits(ordered, budget // PORTRAITS_PART)
    asks_for_all = intent.intent_type == "memory_check" and not any(candidate.relevant for candidate in ranked)
    decisions, used, exceeded, told = list[CandidateDecision](), 0, False, DuplicateFilter()
    for candidate in map(told.cut, ranked):
        refused = _refusal_reason(candidate, intent, asks_for_all=asks_for_all)
        if refused is None and used + candidate.tokens > budget:
            refused, exceeded = "budget_exceeded", True
        if refused is None:
            used += candidate.tokens
            told.add(candidate)
        reason = refused or _acceptance_reason(candidate, asks_for_all=asks_for_all)
        decisions.append(CandidateDecision(candidate, refused is None, reason))
    return Assembly(tuple(_place_decisions(decisions)), {Slot.PERSONAL_CONTEXT.value: used}, exceeded)


def _rank(candidate: PromptCandidate) -> tuple[int, bool, float]:
    """By kind, what a user said before what an assistant made of it, then by score."""
    return _ORDER[candidate.kind], candidate.said_by in ASSISTANTS, -candidate.score


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
    left = room - memory_tokens(replace(portrait, text=""))
    lines = portrait.text.splitlines()
    sizes = accumulate(estimate_tokens(escape(line)) for line in lines)
    text = "\n".join(line for line, size in zip(lines, sizes, strict=True) if size <= left).strip()
    if not text:
        return replace(portrait, left_out="budget_exceeded")
    cut = replace(portrait, text=text)
    return replace(cut, tokens=memory_tokens(cut))


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
        return IN_EVERY_PROMPT
    if candidate.relevant:
        return "relevance"
    return "recency" if asks_for_all and candidate.kind == "item" else "confidence"


def _applies_always(candidate: PromptCandidate, intent: Intent) -> bool:
    """Whether the candidate is a stated preference that applies to every answer or, for a request for advice, to all
    advice.
    """
    if candidate.epistemic_type != "preference" or (candidate.confidence or 0) < CERTAIN_CONFIDENCE:
        return False
    if candidate.memory_type == "persona_preference" or candidate.slot in EVERY_ANSWER_SLOTS:
        return True
    return intent.intent_type == "research" and candidate.slot in ADVICE_SLOTS


def edge_first_positions(count: int) -> list[int]:
    """The position, from 1, of each rank: 1st first, 2nd last, 3rd second, 4th second to last, …

    >>> edge_first_positions(5)
    [1, 5, 2, 4, 3]
    """
    return [rank // 2 + 1 if rank % 2 == 0 else count - rank // 2 for rank in range(count)]


def _place_decisions(decisions: Sequence[CandidateDecision]) -> list[CandidateDecision]:
    """Positions for the accepted candidates: portraits first in their rank, the others U-shaped after them."""
    taken = [decision.candidate.kind == "profile" for decision in decisions if decision.accepted]
    portraits = sum(taken)
    shaped = (portraits + place for place in edge_first_positions(len(taken) - portraits))
    return with_positions(decisions, [*range(1, portraits + 1), *shaped])


class DuplicateFilter:
    """Remembers what the memories taken so far say, and what each was learned from."""

    def __init__(self) -> None:
        self._learned: dict[UUID, Terms] = {}
        self._told: Terms = frozenset()

    def add(self, memory: PromptCandidate) -> None:
        """Record a memory that enters the prompt."""
        terms = core_terms(memory.text)
        self._told |= terms
        for message in memory.said_in:
            self._learned[message] = self._learned.get(message, frozenset()) | terms

    def cut(self, candidate: PromptCandidate) -> PromptCandidate:
        """The candidate without what the prompt says already: a message loses the sentences that memories were learned
        from, and is left out where nothing else remains; so is a reply of an assistant that only repeats.
        """
        if candidate.kind != "turn" or candidate.left_out:
            return candidate
        if candidate.said_by in ASSISTANTS:
            is_repeated = _share_of(core_terms(candidate.text), self._told) >= MOST_OF_IT
            return replace(candidate, left_out=DUPLICATE) if is_repeated else candidate
        learned = self._learned.get(candidate.id)
        return _without_learned(candidate, learned) if learned else candidate


def _without_learned(message: PromptCandidate, learned: Terms) -> PromptCandidate:
    """The message without the sentences that say little more than what was learned from it."""
    sentences = split_sentences(message.text) or [message.text]
    left = [sentence for sentence in sentences if _share_of(core_terms(sentence), learned) < HALF_OF_IT]
    if len(left) == len(sentences):
        return message
    text = sanitize(" ".join(left)).text  # once more: sentences that stood apart are neighbours now
    if not text:
        return replace(message, left_out=DUPLICATE)
    cut = replace(message, text=text)
    return replace(cut, tokens=memory_tokens(cut))


def _share_of(terms: Terms, known: Terms) -> float:
    """The part of the terms that is known; 1.0 where there are no terms."""
    return len(terms & known) / len(terms) if terms else 1.0
