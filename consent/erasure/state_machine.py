"""Moves erasures from state to state; a check constraint of the database enforces the same rules."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from consent.exceptions import IllegalErasureStep
from consent.models import ErasureStep, Tombstone
from consent.models.erasure_states import ErasureState, is_legal_step


def write_requested(tombstone: Tombstone) -> None:
    """Write the tombstone with its first step, ``requested``. Call as the eraser."""
    tombstone.state, tombstone.step = ErasureState.REQUESTED, 1
    tombstone.save(force_insert=True)
    _write_step(tombstone, None, "", tombstone.requested_at)


def enter_states(tombstone: Tombstone, *states: ErasureState, reason: str = "", **changes: Any) -> None:
    """Enter ``states`` one after the other, with ``changes`` to the row at the last. Call as the eraser, with the
    tombstone's row locked.

    Raises ``IllegalErasureStep`` for a transition that is not allowed, or when another process made one meanwhile.
    """
    for state in states:
        before = ErasureState(tombstone.state)
        if not is_legal_step(before, state):
            raise IllegalErasureStep(before, state)
        tombstone.state, tombstone.step = state, tombstone.step + 1
        _write_step(tombstone, before, reason, timezone.now())
    moved = Tombstone.objects.filter(pk=tombstone.pk, step=tombstone.step - len(states))
    if not moved.update(state=tombstone.state, step=tombstone.step, **changes):
        raise IllegalErasureStep(before, states[-1])


def lock_tombstone(tombstone_id: UUID) -> Tombstone:
    """The tombstone, locked for update."""
    return Tombstone.objects.select_for_update().get(pk=tombstone_id)


def _write_step(tombstone: Tombstone, before: ErasureState | None, reason: str, at: datetime) -> None:
    ErasureStep.objects.create(
        tombstone=tombstone,
        user_id=tombstone.user_id,
        step=tombstone.step,
        previous_step=tombstone.step - 1 if before else None,
        previous=before,
        state=tombstone.state,
        reason=reason[:80],
        at=at,
    )
