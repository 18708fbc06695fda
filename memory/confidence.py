"""The confidence a statement enters with, and how far it may rise."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import MappingProxyType
from typing import Final, Literal

Provenance = Literal["observation", "analysis", "confirmed_by_user"]

PROVENANCE_CAPS: Final = MappingProxyType({"observation": 0.6, "analysis": 0.8, "confirmed_by_user": 1.0})
DECLARATIVE_OBSERVATION_CAP: Final = 0.5
PROVENANCE_RANK: Final = MappingProxyType({"observation": 0, "analysis": 1, "confirmed_by_user": 2})

EXPLICIT_CONFIDENCE: Final = 0.9
"""Of an instruction, a confirmation, a correction or a constraint."""
DECLARED_CONFIDENCE: Final = 0.5
"""Of a mention in passing: "I like …"."""
IMPLIED_CONFIDENCE: Final = 0.4
"""Of one signal nobody stated as a preference; repetition raises it."""
HEDGED_CONFIDENCE: Final = 0.3
"""Of what is said with a "maybe": low enough to await the user's decision."""

ANALYSIS_FROM: Final = 3
"""The number of sayings from which a statement is an analysis of several observations.

As many as consolidation merges, and as many consistent wishes as become a preference.
"""


def confidence_cap(provenance: Provenance, declarative: bool) -> float:
    """The highest confidence (0–1) a provenance allows. What is merely said stays below what is done repeatedly."""
    if declarative and provenance == "observation":
        return DECLARATIVE_OBSERVATION_CAP
    return PROVENANCE_CAPS[provenance]


def limit_confidence(confidence: float, provenance: Provenance) -> float:
    """The confidence of something said, limited to between 0 and its cap."""
    return max(0.0, min(confidence, confidence_cap(provenance, declarative=True)))


def combined_confidence(confidences: Sequence[float], provenance: str) -> float:
    """The confidence of independent sayings together: one less the chance that all are wrong, within the cap.

    Sayings are taken as independent (noisy or).
    """
    together = 1 - prod(1 - confidence for confidence in confidences)
    return round(min(max(together, *confidences), PROVENANCE_CAPS[provenance]), 4)


def after_repetitions(provenance: str, confidence: float, sayings: int) -> tuple[str, float]:
    """Provenance and confidence of a statement after its ``sayings``-th message, the first counted.

    A mention becomes an analysis from ``ANALYSIS_FROM`` on, with the combined confidence of its sayings; an analysis
    gains by each further one, up to its cap. What the user confirmed stays as it is.
    """
    if provenance == "observation" and sayings >= ANALYSIS_FROM:
        return "analysis", combined_confidence([confidence] * sayings, "analysis")
    if provenance == "analysis":
        return provenance, combined_confidence([confidence, DECLARED_CONFIDENCE], provenance)
    return provenance, confidence
