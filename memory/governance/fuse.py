"""The negative-feedback fuse: quarantines memories that lead to wrong answers until the user decides."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from consent.permit import Permit
from foundation.accounts.models import User
from memory.governance.thresholds import Thresholds, thresholds_of
from memory.governance.usage_figures import UsageFigures, figures_at_last_change
from memory.models import EvolutionEvent, MemoryItem
from memory.services import versions
from memory.services.history import Actor, apply_change
from memory.services.item_queries import items_in_use

RULE = "fuse"
FUSED = EvolutionEvent.Action.FUSED


def is_tripped(figures: UsageFigures, thresholds: Thresholds) -> bool:
    """Whether an item was called wrong ``fuse_corrections`` times, and in ``fuse_share`` of its uses."""
    uses = max(figures.injections, figures.corrections)  # each correction implies a use, even one not counted yet
    return figures.corrections >= thresholds.fuse_corrections and figures.corrections >= thresholds.fuse_share * uses


def trip_if_needed(permit: Permit, item_ids: Collection[UUID]) -> list[UUID]:
    """Quarantine the items whose uses went wrong too often; returns them. The user can undo it.

    Call after an item's ``correction_count`` rose. For an item that the user restored, only uses counted since then can
    trip the fuse again. Raises ``ConsentScopeMissing``, ``ConsentOutdated``, ``ErasureInProgress``.
    """
    with versions.learning_transaction(permit):
        thresholds = thresholds_of(User.objects.select_related("tenant").get(pk=permit.user_id).tenant)
        items = list(items_in_use(permit).filter(pk__in=item_ids).select_for_update())
        before = figures_at_last_change(items, FUSED)
        wrong = [
            item
            for item in items
            if is_tripped(UsageFigures.of(item).since(before.get(item.pk, UsageFigures())), thresholds)
        ]
        return [_trip(permit, item).pk for item in wrong]


def _trip(permit: Permit, item: MemoryItem) -> MemoryItem:
    inputs = UsageFigures.of(item).as_inputs()
    return apply_change(permit, item, FUSED, Actor.GOVERNOR, RULE, inputs=inputs, state=versions.State.QUARANTINED)
