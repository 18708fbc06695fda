"""Defines the figures that decide where a message goes and what enters its prompt; experiments vary them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from consent.experiment_assignment import VariantAssignment
from consent.experiment_variants import RECALL_THRESHOLDS
from consent.models import Experiment


@dataclass(frozen=True)
class RecallThresholds:
    """The least scores with which something found is relevant to a message.

    Each was chosen with the light embedded model, in both languages (``manage.py evaluate_recall``).
    """

    cosine: float = 0.3
    """Below it a text and a question have no direction in common."""
    cosine_share: float = 0.8
    """Share of the best cosine among memories that a memory must reach: beside a plain answer the similar is filler."""
    words_share: float = 0.4
    """Share of the best full-text score among all candidates: one that shares only a frequent word falls below it."""
    score_share: float = 0.6
    """Share of the best fused score among messages, or among events, that another of them must reach."""


@dataclass(frozen=True)
class RoutingParameters:
    """The figures of one turn. ``skill_weights`` are factors of the confidence of the skills that they name."""

    skill_weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    skill_threshold: float = 0.3
    """The confidence below which no skill is chosen."""
    thresholds: RecallThresholds = field(default_factory=RecallThresholds)
    slot_tokens: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """The usual tokens of parts of the prompt that may be cut, where they are others than the budget's own."""


USUAL_ROUTING: Final = RoutingParameters()


def routing_of(assignments: Iterable[VariantAssignment]) -> RoutingParameters:
    """The figures for a user with these variants: the usual ones but for what the variants name.

    What only a later release knows is left alone: during its roll-out, and after a roll-back, both run. Receipts name
    the variant all the same: whoever was assigned is compared, or the ratio of users would be wrong, and the effect is
    then too small by what this release left out, never too large.

    Turns follow the variants. A context block leaves no receipt, and nothing of a task's material is counted as used,
    so there a variant could do harm that nobody measures: both have the usual figures.
    """
    routing = USUAL_ROUTING
    for assignment in assignments:
        if assignment.dimension == Experiment.Dimension.BRAIN_ROUTING:
            given = assignment.variant.parameters
            routing = RoutingParameters(
                skill_weights=given.get("skill_weights", routing.skill_weights),
                skill_threshold=given.get("skill_threshold", routing.skill_threshold),
                thresholds=replace(routing.thresholds, **_known(given.get("recall_thresholds", {}))),
                slot_tokens=given.get("slot_tokens", routing.slot_tokens),
            )
    return routing


def _known(thresholds: Mapping[str, float]) -> dict[str, float]:
    return {name: least for name, least in thresholds.items() if name in RECALL_THRESHOLDS}
