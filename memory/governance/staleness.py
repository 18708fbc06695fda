"""Marks memories as outdated when time has passed, and closes those whose validity has ended."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from memory.governance.thresholds import Thresholds
from memory.models import EvolutionEvent, MemoryItem
from memory.retrieval.formula import confidence_effective
from memory.services import history, versions
from memory.services.history import Actor, apply_change, undone_changes
from memory.services.item_queries import items_in_use

Action = EvolutionEvent.Action
OUTDATED: Final = MemoryItem.EpistemicType.OUTDATED
NEVER_OUTDATED: Final = frozenset({"allergy", "diet.avoids", "constraint.avoid"})
"""Slots that protect the user: an allergy does not pass because nobody spoke of it."""

MOST_AT_ONCE: Final = 1_000
"""The most items changed in one run, so that it ends within its lease; the rest waits for the next."""


def is_outdated(confidence: float, since_validated: timedelta, misses: int, thresholds: Thresholds) -> bool:
    """Whether the confidence, decayed since the last validation, is too low for the item to be used unasked.

    An item that was recalled ``miss_limit`` times and never used needs a higher confidence.
    """
    passed_over = misses >= thresholds.miss_limit
    least = thresholds.missed_outdated_below if passed_over else thresholds.outdated_below
    return confidence_effective(confidence, since_validated) < least


def mark_outdated(permit: Permit, thresholds: Thresholds) -> list[UUID]:
    """Mark the items in use that are outdated; returns them. Search does not change by it.

    One whose mark the user undid is not marked again. Raises ``ConsentScopeMissing``, ``ConsentOutdated``,
    ``ErasureInProgress``.
    """
    with versions.learning_transaction(permit):
        now = timezone.now()
        unmarked_by_user = {event.item_id for event in undone_changes(permit, Action.OUTDATED)}
        in_use = (
            items_in_use(permit).exclude(pk__in=unmarked_by_user).exclude(epistemic_type=OUTDATED).select_for_update()
        )
        outdated = (item for item in in_use if _is_item_outdated(item, now, thresholds))
        return [_mark_item(permit, item, now).pk for item in islice(outdated, MOST_AT_ONCE)]


def remove_outdated_marks(permit: Permit, thresholds: Thresholds) -> list[UUID]:
    """Remove the mark from items whose use was praised since; returns them. Raises as ``mark_outdated``."""
    with versions.learning_transaction(permit):
        now = timezone.now()
        marked = items_in_use(permit).filter(epistemic_type=OUTDATED, changes__action=Action.OUTDATED).distinct()
        valid_again = [item for item in marked if not _is_item_outdated(item, now, thresholds)]
        return [_renew_item(permit, item).pk for item in valid_again if history.epistemic_type_of(item) != OUTDATED]


def end_expired(permit: Permit) -> list[UUID]:
    """Close the items in use whose validity has ended; returns them. Raises as ``mark_outdated``."""
    with versions.learning_transaction(permit):
        reopened_by_user = {event.item_id for event in undone_changes(permit, Action.RETIRED)}
        expired = (
            items_in_use(permit)
            .filter(invalid_at__lte=timezone.now())
            .exclude(pk__in=reopened_by_user)
            .select_for_update()
        )
        return [_end_item(permit, item).pk for item in expired[:MOST_AT_ONCE]]


def _is_item_outdated(item: MemoryItem, now: datetime, thresholds: Thresholds) -> bool:
    if item.slot in NEVER_OUTDATED:
        return False
    return is_outdated(item.confidence, now - item.last_validated_at, item.miss_count, thresholds)


def _mark_item(permit: Permit, item: MemoryItem, now: datetime) -> MemoryItem:
    days = (now - item.last_validated_at).days
    inputs = {"confidence": item.confidence, "days_since_validated": days, "misses": item.miss_count}
    return apply_change(permit, item, Action.OUTDATED, Actor.GOVERNOR, "decay", inputs=inputs, epistemic_type=OUTDATED)


def _renew_item(permit: Permit, item: MemoryItem) -> MemoryItem:
    inputs = {"confidence": item.confidence, "positives": item.positive_count}
    fields = {"epistemic_type": history.epistemic_type_of(item)}
    return apply_change(permit, item, Action.CONFIRMED, Actor.GOVERNOR, "welcomed since", inputs=inputs, **fields)


def _end_item(permit: Permit, item: MemoryItem) -> MemoryItem:
    inputs = {"invalid_at": item.invalid_at}
    ended = {"state": versions.State.INVALID, "superseded_at": timezone.now()}
    return apply_change(permit, item, Action.RETIRED, Actor.GOVERNOR, "validity over", inputs=inputs, **ended)
