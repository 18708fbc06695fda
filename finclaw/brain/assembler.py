"""Choosing what goes into the prompt, within its budget. Pure: the same candidates give the same choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from finclaw.brain.budget import personal_budget
from finclaw.brain.types import Assembly, Candidate, CandidateKind, Decision, Intent

STATED_OUTRIGHT = 0.8  # seed B §2.1: from here on a memory may be referred to directly
_ORDER: dict[CandidateKind, int] = {"item": 0, "event": 1, "turn": 2, "context": 3}


def assemble(candidates: Sequence[Candidate], intent: Intent) -> Assembly:
    """Take what bears on the message while it fits the intent's budget, and place it U-shaped.

    Statements come before events, events before raw turns; within a kind the score decides. Models attend to the
    ends of a context: the best stands first, the second best last (seed B §4.1 step 3).
    """
    budget = personal_budget(intent.intent_type)
    ranked = sorted(candidates, key=lambda candidate: (_ORDER[candidate.kind], -candidate.score))
    asks_for_all = intent.intent_type == "memory_check" and not any(candidate.relevant for candidate in ranked)
    decisions, used, exceeded = [], 0, False
    for candidate in ranked:
        reason = _reason(candidate, asks_for_all=asks_for_all)
        if reason is None:
            decisions.append(Decision(candidate, accepted=False, reason="relevance"))
        elif used + candidate.tokens > budget:
            exceeded = True
            decisions.append(Decision(candidate, accepted=False, reason="budget_exceeded"))
        else:
            used += candidate.tokens
            decisions.append(Decision(candidate, accepted=True, reason=reason))
    return Assembly(tuple(_placed(decisions)), {"personal_context": used}, exceeded)


def _reason(candidate: Candidate, *, asks_for_all: bool) -> str | None:
    """Why it belongs in the prompt, or None: it touches the message, or it is a preference the person stated
    outright, which holds for every answer. Who asks what is remembered, naming nothing of it, is shown all statements.
    """
    if candidate.relevant or (asks_for_all and candidate.kind == "item"):
        return "relevance"
    stated = candidate.epistemic_type == "preference" and (candidate.confidence or 0) >= STATED_OUTRIGHT
    return "confidence" if stated else None


def u_shape(count: int) -> list[int]:
    """The position, from 1, of each rank: 1st first, 2nd last, 3rd second, 4th second to last, …

    >>> u_shape(5)
    [1, 5, 2, 4, 3]
    """
    return [rank // 2 + 1 if rank % 2 == 0 else count - rank // 2 for rank in range(count)]


def _placed(decisions: Sequence[Decision]) -> list[Decision]:
    positions = iter(u_shape(sum(decision.accepted for decision in decisions)))
    return [replace(decision, position=next(positions)) if decision.accepted else decision for decision in decisions]
