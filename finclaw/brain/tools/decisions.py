"""Decides which of the rows a model looked up it may read, and adds them to the turn's assembly. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from finclaw.brain.prompt.selection import fit_portraits
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate, with_positions
from foundation.sanitization.types import SanitizationResult

LOOKED_UP: Final = "looked_up"
"""The receipt's reason for what the model looked up itself."""


def decide_candidates(candidates: Sequence[PromptCandidate], room: int) -> list[CandidateDecision]:
    """A decision for each candidate in order: taken while it fits, unless blocked. Portraits are cut to fit."""
    decisions = []
    allowed = [found for found in candidates if found.sanitization != SanitizationResult.BLOCKED]
    cut = {portrait.id: portrait for portrait in fit_portraits(allowed, room)}
    for shown in (cut.get(candidate.id, candidate) for candidate in candidates):
        reason = shown.left_out or (LOOKED_UP if shown.tokens <= room else "budget_exceeded")
        reason = "blocked" if shown.sanitization == SanitizationResult.BLOCKED else reason
        accepted = reason == LOOKED_UP
        room -= shown.tokens if accepted else 0
        decisions.append(CandidateDecision(shown, accepted, reason))
    return decisions


def with_tool_decisions(assembly: Assembly, decisions: Sequence[CandidateDecision]) -> Assembly:
    """The assembly plus what was looked up, each row once; whatever the model read counts as taken."""
    ordered = sorted([*assembly.decisions, *decisions], key=lambda decision: not decision.accepted)
    once = {decision.candidate.id: decision for decision in reversed(ordered)}  # the first accepted stays
    known = [decision for decision in assembly.decisions if once[decision.candidate.id] is decision]
    new = [decision for decision in decisions if once[decision.candidate.id] is decision]
    taken = sum(decision.accepted for decision in known)
    return replace(assembly, decisions=(*known, *with_positions(new, count(taken + 1))))
