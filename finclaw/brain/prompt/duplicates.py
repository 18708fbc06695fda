"""Leaves out messages that repeat what a memory beside them already says. Pure."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from finclaw.brain.types import PromptCandidate
from memory.mentions import Terms, core_terms

MOST_OF_IT: Final = 0.75
"""Of a message's own terms: one that says more than its memories hold is worth its room."""


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
