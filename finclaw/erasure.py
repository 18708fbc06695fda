"""Carries out erasures from request to signed certificate; read it from top to bottom, with ``docs/erasure.md``.

Request: one plan of the user's own rows → tombstone, fence, hidden rows and queued job in one transaction. Worker:
state ``processing`` → one transaction that deletes, searches for residue, signs the certificate and completes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.erasure import services as erasures
from consent.erasure.kept_rows import kept_rows
from consent.erasure.plan import Counts, ErasurePart, ErasurePlan
from consent.erasure.row_deletion import count_rows, delete_rows
from consent.erasure.types import ResidueProbe, Targets
from consent.memory_telemetry import report_deleted_rows
from consent.models import ErasureScope, Sources, Tombstone
from consent.permit import Permit
from consent.services import permit_for
from drift.erasure_part import DriftErasure
from finclaw.brain.promotion import PromotionErasure
from finclaw.erasure_scopes import SCOPES
from finclaw.third_parties import CopiesErasure, ForeignTablesErasure
from foundation.accounts.models import User
from foundation.accounts.services import close_account, lock_user, remove_account
from foundation.database.acting_program import acting_program, in_full_sight
from foundation.database.acting_user import acting_as, in_role
from foundation.database.error_codes import sqlstate
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.qdrant import QdrantUnavailable
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish_all
from media.erasure_part import MediaErasure
from memory.erasure.erasure_part import MemoryErasure
from memory.erasure.file_texts import FileTextErasure
from memory.erasure.labels import SESSION, TURN
from memory.exceptions import KindWithheld
from memory.models import MemoryItem
from memory.projection.erasure_part import ProjectionErasure
from memory.projection.registry import prepare_projections
from personas.services.erasure_part import PersonaErasure


class FilesErasure(MediaErasure):
    """Files, by the labels under which memory's rows stand in a plan."""

    session_label = SESSION
    message_label = TURN


class AccountErasure(ErasurePart):
    """The account itself: closed with the request, removed after everything that refers to it."""

    _user: User
    _groups: Collection[UUID]

    def clean_at_once(self) -> None:
        if self.plan.is_account:
            close_account(User.objects.get(pk=self.plan.user_id))

    def clean(self) -> Counts:
        if self.plan.is_account:
            self._user = User.objects.get(pk=self.plan.user_id)
            self._groups = set(self._user.memberships.values_list("group_id", flat=True))
        return {}

    def finish(self) -> Counts:
        return {User._meta.label: remove_account(self._user, self._groups)} if self.plan.is_account else {}

    def count_residue(self) -> Counts:
        return {User._meta.label: User.objects.filter(pk=self.plan.user_id).count()} if self.plan.is_account else {}


PARTS: Final[tuple[type[ErasurePart], ...]] = (
    ProjectionErasure,
    MemoryErasure,
    FilesErasure,
    FileTextErasure,
    PromotionErasure,
    PersonaErasure,
    DriftErasure,
    ForeignTablesErasure,
    AccountErasure,
    CopiesErasure,
)
"""What each package contributes, in the order in which the parts run."""


def plan_erasure(permit: Permit, scope: ErasureScope, target: str, sources: Sources) -> ErasurePlan:
    """What an erasure takes. A page counts it, ``forget`` writes it into the tombstone and the worker carries it out.

    ``target`` is the row's id, or an event's ``event_id``; empty for scopes that name no row. Raises ``NotFound`` for
    another user's row, ``KeptInThread``. Call acting for the user.
    """
    rules = SCOPES[scope]
    named = rules.parse(target)
    plan = ErasurePlan(
        permit.user_id,
        scope,
        sources,
        target_id=named if isinstance(named, UUID) else None,
        targets=rules.find_targets(permit, named, sources),
        tables=tuple(rules.tables()),
    )
    for part in PARTS:
        plan = replace(plan, targets=part(plan).extend(permit))
    return plan


def forget(user: User, scope: ErasureScope, target: str, sources: Sources, *, source: str) -> Tombstone:
    """Accept a user's erasure request; call in a transaction acting for them.

    Raises as ``plan_erasure``, ``ErasureInProgress``, and ``KindWithheld`` where a program asks for all of what it sees
    only a part of.
    """
    # Writers lock the user too, so their rows are either among the targets or written after the request.
    lock_user(user.pk)
    permit = permit_for(user)
    _require_shown(permit, scope, target)
    with in_full_sight():
        plan = plan_erasure(permit, scope, target, sources)
    count = SCOPES[scope].count(plan)
    with in_full_sight():
        return _accept(user, permit, plan, count, source)


def _require_shown(permit: Permit, scope: ErasureScope, target: str) -> None:
    """Refuse a program what it is not shown. Raises ``NotFound`` and ``KindWithheld``."""
    if not acting_program().withheld:
        return
    if not target:
        raise KindWithheld()
    SCOPES[scope].find_targets(permit, SCOPES[scope].parse(target), Sources.KEEP)


def _accept(user: User, permit: Permit, plan: ErasurePlan, count: int, source: str) -> Tombstone:
    tombstone = erasures.request_erasure(user, permit.version, plan, item_count=count, source=source)
    for part in PARTS:
        part(_plan_of(tombstone)).clean_at_once()
    publish_all(user.pk, WebhookEvent.MEMORY_FORGOTTEN, plan.targets.delete.get(MemoryItem._meta.label, ()))
    return tombstone


def erase(job: Job) -> None:
    """Carry out one erasure. An exception counts as a failed attempt of the job and is recorded on the tombstone.

    While the vector store is down the job waits.
    """
    prepare_projections()
    user_id = UUID(job.payload["user"])
    tombstone = erasures.start_erasure(UUID(job.payload["tombstone"]), user_id)
    if tombstone is None:
        with job.completing():
            return
    try:
        with job.completing():
            _erase(tombstone)
    except LostLease:
        raise
    except Exception as error:
        waits = isinstance(error, QdrantUnavailable) and error.is_outage  # uses up no attempt of the job
        reason = f"{type(error).__name__} {sqlstate(error)}".strip()
        erasures.record_failure(tombstone.pk, user_id, reason, final=job.message.is_last_attempt and not waits)
        raise


def _erase(tombstone: Tombstone) -> None:
    with acting_as(tombstone.user_id):
        plan = _plan_of(tombstone)
        if plan.is_account:
            plan = replace(plan, before=timezone.now())  # includes rows written before the account was closed
        parts = [part(plan) for part in PARTS]
        deleted, residue = Counter[str](), Counter[str]()
        for part in parts:
            deleted.update(part.clean())
        with in_role(ERASER_ROLE):
            deleted.update(delete_rows(plan))
        for part in parts:
            deleted.update(part.finish())
        report_deleted_rows(tombstone.user_id, deleted)
        with in_role(ERASER_ROLE):
            residue.update(count_rows(plan))
            for part in parts:
                residue.update(part.count_residue())
            kept = kept_rows(plan, (rows for part in parts for rows in part.list_kept_rows()))
        erasures.complete_erasure(tombstone, deleted, ResidueProbe(checked=deleted, residue=residue, kept_rows=kept))


def _plan_of(tombstone: Tombstone) -> ErasurePlan:
    return ErasurePlan(
        tombstone.user_id,
        tombstone.scope,
        tombstone.sources,
        tombstone.target_id,
        Targets.from_json(tombstone.targets),
        tuple(SCOPES[tombstone.scope].tables()),
        tombstone.requested_at,
        tombstone.pk,
    )
