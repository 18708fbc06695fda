"""What a statement is worth when it enters, and how far it may rise."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
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
"""Said with a "maybe": low enough to wait for the user."""

ANALYSIS_FROM: Final = 3
"""Sayings of one statement from which it is an analysis of several observations: as many as consolidation merges, and
as many consistent wishes as become a preference.
"""


def cap(provenance: Provenance, declarative: bool) -> float:
    """The highest confidence (0–1) allowed. What a user merely says stays below what they do repeatedly."""
    if declarative and provenance == "observation":
        return DECLARATIVE_OBSERVATION_CAP
    return PROVENANCE_CAPS[provenance]


def capped(confidence: float, provenance: Provenance, *, declarative: bool = True) -> float:
    """``confidence`` within 0 and its cap."""
    return max(0.0, min(confidence, cap(provenance, declarative)))


def combined_confidence(confidences: Sequence[float], provenance: str) -> float:
    """What independent sayings are worth together: one less the chance that all are wrong, within the cap.

    Sayings are taken as independent (noisy or).
    """
    together = 1 - prod(1 - confidence for confidence in confidences)
    return round(min(max(together, *confidences), PROVENANCE_CAPS[provenance]), 4)


def repeated(provenance: str, confidence: float, sayings: int) -> tuple[str, float]:
    """Provenance and confidence of a statement after its ``sayings``-th message, the first counted.

    One that was only mentioned becomes an analysis from ``ANALYSIS_FROM`` on, worth what its sayings are together; an
    analysis gains by each further one, up to its cap. What the user confirmed stays as it is.
    """
    if provenance == "observation" and sayings >= ANALYSIS_FROM:
        return "analysis", combined_confidence([confidence] * sayings, "analysis")
    if provenance == "analysis":
        return provenance, combined_confidence([confidence, DECLARED_CONFIDENCE], provenance)
    return provenance, confidence
