"""Calibrates the confidence of memories by how their uses were received."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from memory.confidence import PROVENANCE_CAPS
from memory.governance.usage_figures import UsageFigures, figures_at_last_change
from memory.models import EvolutionEvent, MemoryItem
from memory.services import versions
from memory.services.history import Actor, apply_change
from memory.services.item_queries import items_in_use

FLOOR: Final = 0.1
"""The confidence below which calibration lowers none: what is to go sooner, the user says."""
CANDIDATE_BELOW: Final = 0.2
"""The confidence below which an item whose uses went badly awaits the user's decision."""
CALIBRATED = EvolutionEvent.Action.CALIBRATED


@dataclass(frozen=True)
class CalibrationRule:
    """One calibration rule; with ``may_quarantine`` it quarantines an item whose confidence fell too low."""

    name: str
    holds: Callable[[UsageFigures], bool]
    step: float
    may_quarantine: bool = False


RULES: Final = (
    CalibrationRule(
        "reliable", lambda seen: seen.injections >= 10 and seen.is_judged and seen.positive_rate > 0.8, +0.1
    ),
    CalibrationRule("corrected", lambda seen: seen.injections >= 5 and seen.corrections >= 2, -0.15),
    CalibrationRule(
        "unhelpful",
        lambda seen: seen.injections >= 5 and seen.is_judged and seen.positive_rate < 0.3,
        -0.2,
        may_quarantine=True,
    ),
)
"""Every rule that holds applies, one after the other, in this order."""


@dataclass(frozen=True)
class ConfidenceCalibration:
    """The outcome for one item: its new confidence, the rules applied, and whether it is quarantined."""

    confidence: float
    rules: tuple[str, ...]
    quarantines: bool


def calibrate_confidence(confidence: float, ceiling: float, seen: UsageFigures) -> ConfidenceCalibration:
    """Apply the rules to a confidence (0–1) whose provenance allows ``ceiling``."""
    holding = [rule for rule in RULES if rule.holds(seen)]
    for rule in holding:
        if rule.step > 0:
            confidence = min(confidence + rule.step, ceiling)
        else:
            # ``min`` because a confidence already below the floor must not rise to it.
            confidence = min(confidence, max(confidence + rule.step, FLOOR))
    confidence = round(confidence, 4)
    aside = any(rule.may_quarantine for rule in holding) and confidence < CANDIDATE_BELOW
    return ConfidenceCalibration(confidence, tuple(rule.name for rule in holding), aside)


def calibrate(permit: Permit) -> list[UUID]:
    """Calibrate every item in use by what was counted since the last time; returns the items changed.

    The same uses never change an item twice, even if the user undid the change. Raises ``ConsentScopeMissing``,
    ``ConsentOutdated``, ``ErasureInProgress``.
    """
    with versions.learning_transaction(permit):
        used = list(items_in_use(permit).filter(injection_count__gt=0).select_for_update())
        before = figures_at_last_change(used, CALIBRATED)
        outcomes = [(item, _calibration_of(item, before.get(item.pk, UsageFigures()))) for item in used]
        return [
            _apply_calibration(permit, item, outcome).pk
            for item, outcome in outcomes
            if outcome.confidence != item.confidence
        ]


def _calibration_of(item: MemoryItem, before: UsageFigures) -> ConfidenceCalibration:
    return calibrate_confidence(item.confidence, PROVENANCE_CAPS[item.provenance], UsageFigures.of(item).since(before))


def _apply_calibration(permit: Permit, item: MemoryItem, outcome: ConfidenceCalibration) -> MemoryItem:
    fields: dict[str, Any] = {"confidence": outcome.confidence}
    if outcome.quarantines:
        fields["state"] = versions.State.QUARANTINED
    rule = f"calibration.{'+'.join(outcome.rules)}"
    inputs = UsageFigures.of(item).as_inputs()
    return apply_change(permit, item, CALIBRATED, Actor.GOVERNOR, rule, inputs=inputs, **fields)
