"""What a statement is worth when it enters, and how far it may rise (seed B §3.1.0.1)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from memory.evolution.types import Provenance

PROVENANCE_CAPS: Final = MappingProxyType({"observation": 0.6, "analysis": 0.8, "confirmed_by_user": 1.0})
DECLARATIVE_OBSERVATION_CAP: Final = 0.5
PROVENANCE_RANK: Final = MappingProxyType({"observation": 0, "analysis": 1, "confirmed_by_user": 2})

EXPLICIT_CONFIDENCE: Final = 0.9
"""An instruction, a confirmation, a correction or a constraint."""
DECLARED_CONFIDENCE: Final = 0.5
"""A mention in passing: "I like …"."""
IMPLIED_CONFIDENCE: Final = 0.4
"""One signal nobody stated as a preference; repetition lifts it."""
HEDGED_CONFIDENCE: Final = 0.3
"""Said with a "maybe": low enough to wait for its person."""


def cap(provenance: Provenance, declarative: bool) -> float:
    """The highest confidence (0–1) allowed. What a user merely says stays below what they do repeatedly."""
    if declarative and provenance == "observation":
        return DECLARATIVE_OBSERVATION_CAP
    return PROVENANCE_CAPS[provenance]


def capped(confidence: float, provenance: Provenance, *, declarative: bool = True) -> float:
    """``confidence`` within 0 and its cap."""
    return max(0.0, min(confidence, cap(provenance, declarative)))
