"""Nudges the confidence of memories by a single verdict: praise a little up, a denial or a repetition a little down.

One verdict proves little, so a nudge is smaller than any step of ``calibration`` and never quarantines a memory. It is
recorded but cannot be undone; a later verdict can balance it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final, Literal
from uuid import UUID

from consent.permit import Permit
from memory.confidence import PROVENANCE_CAPS
from memory.governance.calibration import FLOOR
from memory.governance.usage_figures import UsageFigures
from memory.models import EvolutionEvent, MemoryItem
from memory.services.history import Actor, apply_change
from memory.services.item_queries import items_in_use

Verdict = Literal["positive", "negative", "restated"]
STEPS: Final[Mapping[Verdict, float]] = MappingProxyType({"positive": +0.02, "negative": -0.05, "restated": -0.03})


def nudged_confidence(confidence: float, provenance: str, verdict: Verdict) -> float:
    """The confidence (0–1) after one verdict: at most the cap of its provenance, and pushed no lower than ``FLOOR``."""
    step = STEPS[verdict]
    if step > 0:
        return round(max(confidence, min(confidence + step, PROVENANCE_CAPS[provenance])), 4)
    return round(min(confidence, max(confidence + step, FLOOR)), 4)


def nudge_confidence(permit: Permit, item_ids: Collection[UUID], verdict: Verdict) -> None:
    """Nudge the items in use among these, and record each change. Call while holding the permit."""
    if not item_ids:
        return
    for item in items_in_use(permit).filter(pk__in=item_ids).select_for_update():
        _nudge(permit, item, verdict)


def _nudge(permit: Permit, item: MemoryItem, verdict: Verdict) -> None:
    confidence = nudged_confidence(item.confidence, item.provenance, verdict)
    if confidence == item.confidence:
        return
    apply_change(
        permit, item, EvolutionEvent.Action.NUDGED, Actor.PIPELINE, f"reaction.{verdict}",
        inputs=UsageFigures.of(item).as_inputs(), confidence=confidence,
    )  # fmt: skip
