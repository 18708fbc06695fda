"""Settings that say when and how often a model server may be asked.

They stand apart from ``admission_control`` so that an offline installation need not import the client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class CircuitRules:
    """When a circuit opens: after ``failures`` in a row (0: never), or ``silence_seconds`` without a sign of life."""

    failures: int
    silence_seconds: float


@dataclass(frozen=True, slots=True)
class RateRules:
    """How much a process may ask of each model in a minute; 0 sets no limit.

    ``first_backoff_seconds`` is the wait after a first 429 that gives no time.
    """

    requests_per_minute: float
    tokens_per_minute: float
    first_backoff_seconds: float


@dataclass(frozen=True, slots=True)
class AdmissionRules:
    """When a circuit opens, how fast each model may be asked, and how many calls may be in flight in this process."""

    circuit: CircuitRules
    rate: RateRules
    turn_calls: int
    background_calls: int


UNBOUNDED: Final = AdmissionRules(CircuitRules(0, 0.0), RateRules(0, 0, 0.5), turn_calls=10**6, background_calls=10**6)
"""Sets no limit but a pause after a 429."""
