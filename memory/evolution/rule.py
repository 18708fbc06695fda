"""A named extraction rule: a pattern over a clause, and what a match means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from memory.confidence import DECLARED_CONFIDENCE, EXPLICIT_CONFIDENCE, IMPLIED_CONFIDENCE, Provenance, confidence_cap
from memory.evolution.types import EpistemicType, MemoryType


class Strength(Enum):
    """How directly a user said something."""

    EXPLICIT = "explicit"
    DECLARED = "declared"
    IMPLIED = "implied"

    @property
    def provenance(self) -> Provenance:
        """The provenance of this strength: only what a user said on purpose counts as confirmed."""
        return "confirmed_by_user" if self is Strength.EXPLICIT else "observation"

    @property
    def confidence(self) -> float:
        """The confidence a statement of this strength enters with, never above its cap."""
        entry = {
            Strength.EXPLICIT: EXPLICIT_CONFIDENCE,
            Strength.DECLARED: DECLARED_CONFIDENCE,
            Strength.IMPLIED: IMPLIED_CONFIDENCE,
        }[self]
        return min(entry, confidence_cap(self.provenance, declarative=self is Strength.DECLARED))


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule. ``pattern`` names its groups ``value``, ``old`` and ``key``; templates may use them.

    ``slot`` is a template too; ``infer:likes`` asks ``slots.infer_slot`` first, ``asset:holds`` adds what is held.
    ``many`` splits the value into a list ("BTC, ETH and SOL"). ``whole`` rules read a sentence, the others a clause.
    ``answers`` rules hold where the assistant has just named the old value, else only where it is known: "not anger,
    but sorrow" alone is no preference. ``happened`` rules tell of what happened once: in a year long past it changes
    nothing that was stated since. ``for_now`` rules read a request for the style of the answers at hand.
    """

    name: str
    pattern: re.Pattern[str]
    slot: str
    content: str
    category: str
    memory_type: MemoryType = "observation"
    epistemic_type: EpistemicType = "fact"
    strength: Strength = Strength.DECLARED
    polarity: str = "positive"
    many: bool = False
    whole: bool = False
    replaces: bool = False
    answers: bool = False
    happened: bool = False
    for_now: bool = False
