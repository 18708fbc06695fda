"""When and how often a model server may be asked. Without the client, which an offline installation never imports."""

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
    """What a process may ask of each model in a minute, 0 for any number; ``first_backoff_seconds`` is how long it
    waits after a 429 that does not say how long.
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
"""Lets everybody ask, but for a pause after a 429."""
