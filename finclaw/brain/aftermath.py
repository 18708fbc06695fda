"""After the reply: which of what stood in the prompt did the answer draw on (M-25, seed B §4.1.1 Step A). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from finclaw.brain.types import Assembly
from memory.mentions import Terms, core_terms, refers_to_memory, speaks_of

Utilization = Literal["keyword_match", "reference_phrase", "none"]
_MOST_OF_IT = 0.5  # of a memory's terms: where the reply says that it remembers, the question's words count too


def utilizations(assembly: Assembly, question: str, reply: str, speaker: str) -> dict[UUID, Utilization]:
    """How each accepted candidate shows in the reply, by its id.

    Words of the question prove nothing by themselves: an answer repeats them without any memory. They count where
    the reply refers to what it was told before. The name of ``speaker`` never counts.
    """
    name = core_terms(speaker)
    heard = _Heard(core_terms(reply), core_terms(question), refers_to_memory(reply))
    return {
        decision.candidate.id: heard.use_of(core_terms(decision.candidate.text) - name)
        for decision in assembly.decisions
        if decision.accepted
    }


def is_utilized(found: Mapping[UUID, Utilization], candidate_id: UUID) -> bool | None:
    """Whether the reply drew on the candidate; None for one that did not stand before the model."""
    return found[candidate_id] != "none" if candidate_id in found else None


@dataclass(frozen=True)
class _Heard:
    reply: Terms
    question: Terms
    refers: bool

    def use_of(self, memory: Terms) -> Utilization:
        if speaks_of(self.reply - self.question, memory - self.question):
            return "keyword_match"
        if self.refers and memory and len(self.reply & memory) >= _MOST_OF_IT * len(memory):
            return "reference_phrase"
        return "none"
