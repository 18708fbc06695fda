"""Erasures that stand where a test needs them: asked for at a moment, or done."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import time_machine

from consent.erasure import services
from consent.erasure.plan import ErasurePlan
from consent.models import AuditEvent, ErasureScope, Sources, Tombstone
from consent.services import permit_for
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain


def ask_to_forget(user: User, at: datetime, scope: ErasureScope = ErasureScope.ITEM) -> Tombstone:
    """A tombstone accepted at that moment, which names no rows unless its scope does."""
    with time_machine.travel(at, tick=False), acting_as(user.pk):
        lock_user(user.pk)
        plan = ErasurePlan(user.pk, scope, Sources.REDACT)
        accepted = services.request_erasure(user, permit_for(user).version, plan, source="web")
    return reread(accepted.pk)


def forgotten(user: User, scope: ErasureScope, target: str = "", sources: Sources = Sources.REDACT) -> Tombstone:
    """What was asked to be forgotten, once the workers have done what there was to do."""
    with acting_as(user.pk):
        tombstone = forget(user, scope, target, sources, source="api")
    drain()
    with acting_as(user.pk):
        return services.erasure_of(user.pk, tombstone.pk)


def reread(tombstone_id: UUID) -> Tombstone:
    """The tombstone as it stands, read as an operator."""
    with in_role(OPERATOR_ROLE):
        return Tombstone.objects.prefetch_related("steps").get(pk=tombstone_id)


def audited(tombstone: Tombstone) -> list[str]:
    """What was written down about it, the first on top."""
    with in_role(OPERATOR_ROLE):
        events = AuditEvent.objects.filter(subject_id=tombstone.pk).order_by("at", "id")
        return list(events.values_list("action", flat=True))
