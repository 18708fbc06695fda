"""Adds to an erasure the answers that an erased answer had replaced: they would be shown again while it is hidden."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from consent.erasure.types import Targets
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.labels import ENTRY, TURN
from memory.models import ConversationEvent


def with_replaced_answers(permit: Permit, targets: Targets) -> Targets:
    """Add to the targets every answer that one among them replaced, directly or through others.

    It is deleted if its successor is, and otherwise emptied, even if the successor only loses sentences: nobody is
    shown a replaced answer any more. The successor of an erased answer is not added: its own receipt and words show
    whether it quotes the same. Call while acting for the user, before the rows are hidden.
    """
    deleted = _answers_replaced_by(permit, targets.delete.get(TURN, ()))
    emptied = _answers_replaced_by(permit, targets.losing(TURN)) - deleted - {*targets.delete.get(TURN, ())}
    cuts = {key: cut for key, cut in targets.cut.get(TURN, {}).items() if key not in emptied | deleted}
    closed = targets | Targets(delete={TURN: deleted, ENTRY: deleted | emptied}, redact={TURN: emptied})
    return Targets(closed.delete, closed.redact, closed.unlearn, closed.touched, {**closed.cut, TURN: cuts})


def _answers_replaced_by(permit: Permit, answers: Collection[UUID]) -> set[UUID]:
    """The answers that these replaced, back to the first of each chain."""
    found, newer = set[UUID](), {*answers}
    with in_role(ERASER_ROLE):  # another erasure may have hidden them
        while newer:
            rows = ConversationEvent.with_erased.filter(pk__in=newer, user_id=permit.user_id, replaces__isnull=False)
            newer = {key for key in rows.values_list("replaces", flat=True) if key is not None} - found
            found |= newer
    return found
