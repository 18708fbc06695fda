"""Request an erasure, and change its state. The caller's plan decides what is erased."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from consent.erasure import fence, state_machine
from consent.erasure.certificate import issue_certificate
from consent.erasure.invisibility import hide_targets
from consent.erasure.journal import append_to_journal
from consent.erasure.plan import ErasurePlan
from consent.erasure.types import ResidueProbe, Targets
from consent.exceptions import ErasureInProgress, ResidueFound
from consent.legal_terms import due_at, legal_profile_for
from consent.models import AuditEvent, ErasureScope, Tombstone
from consent.models.erasure_states import ErasureState
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish

log = structlog.get_logger(__name__)
ERASE_TOPIC = "consent.erase"
_PROOF = ("deleted", "verification", "completed_at", "certificate", "signature", "public_key_id")


def request_erasure(
    user: User, consent_version: int, plan: ErasurePlan, *, item_count: int = 0, source: str
) -> Tombstone:
    """Request an erasure: tombstone, fence, hidden rows and queued work are committed together.

    Call with the user's row locked (``lock_user``), after checking that the plan names only the user's own rows. Raises
    ``ErasureInProgress`` while a wider or equal erasure of the same user runs.
    """
    now = timezone.now()
    with transaction.atomic():
        _require_room(user.pk, plan.scope)
        profile = legal_profile_for(user)
        tombstone = Tombstone(
            id=new_id(),
            user_id=user.pk,
            scope=plan.scope,
            target_id=plan.target_id,
            sources=plan.sources,
            targets=plan.targets.as_json(),
            item_count=item_count,
            source=source,
            consent_version=consent_version,
            legal_profile=profile.code,
            requested_at=now,
            due_at=due_at(profile, now, user.time_zone).at,
        )
        tombstone.link_hash = _hash_secret(link_secret(tombstone.pk))
        accept_erasure(tombstone, plan.targets)
    return tombstone


def accept_erasure(tombstone: Tombstone, targets: Targets, *, noting: bool = True) -> None:
    """Write the tombstone, hide what it covers and queue the work in the caller's transaction, then append to the
    journal.
    """
    with in_role(ERASER_ROLE):
        state_machine.write_requested(tombstone)
        state_machine.enter_states(tombstone, ErasureState.VERIFIED)
        hide_targets(tombstone, targets)
        fence.raise_fence(tombstone, tombstone.requested_at)
        state_machine.enter_states(tombstone, ErasureState.TOMBSTONED, ErasureState.QUEUED)
    queue_erasure(tombstone)
    audit_erasure(tombstone, "erasure.requested", {"items": tombstone.item_count})
    if noting:
        transaction.on_commit(lambda: append_to_journal(tombstone))


def queue_erasure(tombstone: Tombstone) -> None:
    """Queue the erasure for a worker. The outbox row has no owner: it must outlive the account it erases."""
    outbox.enqueue(
        ERASE_TOPIC,
        key=tombstone.pk,
        user_id=None,
        payload={"tombstone": str(tombstone.pk), "user": str(tombstone.user_id)},
        priority=Priority.URGENT,
    )


def start_erasure(tombstone_id: UUID, user_id: UUID) -> Tombstone | None:
    """Enter ``processing`` and commit it; None for an erasure that is completed or escalated.

    An erasure found in ``processing`` has lost its worker; this is recorded as a failed attempt like any other.
    """
    with acting_as(user_id), in_role(ERASER_ROLE):
        tombstone = state_machine.lock_tombstone(tombstone_id)
        if tombstone.state in {ErasureState.COMPLETED, ErasureState.ESCALATED}:
            return None
        if tombstone.state == ErasureState.PROCESSING:
            state_machine.enter_states(tombstone, ErasureState.FAILED, reason="WorkerDied")
        if tombstone.state == ErasureState.FAILED:
            state_machine.enter_states(tombstone, ErasureState.RETRY_PENDING)
        state_machine.enter_states(tombstone, ErasureState.PROCESSING)
    return tombstone


def complete_erasure(tombstone: Tombstone, deleted: Mapping[str, int], probe: ResidueProbe) -> None:
    """Certify and complete an erasure, in the transaction that erased. Raises ``ResidueFound`` for rows left."""
    if probe.residual:
        left = {place: rows for place, rows in probe.residue.items() if rows}
        log.error("residue_found", tombstone=str(tombstone.pk), left=left)
        raise ResidueFound(left)
    with in_role(ERASER_ROLE):
        row = state_machine.lock_tombstone(tombstone.pk)
        row.deleted, row.verification = dict(deleted), probe.as_json()
        row.completed_at = timezone.now()
        row.certificate, row.signature, row.public_key_id = issue_certificate(row, probe.kept_rows)
        proof = {name: getattr(row, name) for name in _PROOF}
        state_machine.enter_states(row, ErasureState.COMPLETED, **proof)
        fence.drop_fence(row)
    audit_erasure(row, "erasure.completed", {label: rows for label, rows in deleted.items() if rows})
    publish(row.user_id, WebhookEvent.ERASURE_COMPLETED, row.pk)


def record_failure(tombstone_id: UUID, user_id: UUID, reason: str, *, final: bool) -> None:
    """Record a failed attempt; after the ``final`` one the erasure is escalated to the operators."""
    with acting_as(user_id), in_role(ERASER_ROLE):
        tombstone = state_machine.lock_tombstone(tombstone_id)
        if tombstone.state == ErasureState.PROCESSING:
            state_machine.enter_states(tombstone, ErasureState.FAILED, reason=reason)
            state_machine.enter_states(tombstone, ErasureState.RETRY_PENDING)
    if final:
        escalate_erasure(tombstone_id, user_id, reason=reason)


def escalate_erasure(tombstone_id: UUID, user_id: UUID, *, reason: str) -> bool:
    """Escalate an erasure to the operators; answers False where it is completed or escalated already."""
    with acting_as(user_id):
        with in_role(ERASER_ROLE):
            tombstone = state_machine.lock_tombstone(tombstone_id)
            if tombstone.state in {ErasureState.COMPLETED, ErasureState.ESCALATED}:
                return False
            if tombstone.state == ErasureState.FAILED:
                state_machine.enter_states(tombstone, ErasureState.RETRY_PENDING)
            state_machine.enter_states(tombstone, ErasureState.ESCALATED, reason=reason)
        audit_erasure(tombstone, "erasure.escalated")
    return True


def retry_escalated(tombstone_id: UUID, user_id: UUID, actor_id: UUID | None) -> None:
    """Queue an escalated erasure again for an operator. Raises ``IllegalErasureStep`` for any other."""
    with acting_as(user_id):
        with in_role(ERASER_ROLE):
            tombstone = state_machine.lock_tombstone(tombstone_id)
            state_machine.enter_states(tombstone, ErasureState.QUEUED)
        if not outbox.run_again(tombstone_id):
            queue_erasure(tombstone)
        audit_erasure(tombstone, "erasure.retried", actor_id=actor_id)


def erasures_of(user_id: UUID) -> QuerySet[Tombstone]:
    """The user's erasures, the latest first. Call in a transaction acting for them."""
    return Tombstone.objects.filter(user_id=user_id).select_related("request").order_by("-requested_at", "-id")


def on_request_of(tombstone: Tombstone) -> str:
    """The reference of the request on which operators had this erased, "" where the user erased it themselves."""
    request = getattr(tombstone, "request", None)
    return request.reference if request else ""


def erasure_of(user_id: UUID, tombstone_id: UUID) -> Tombstone:
    """One of the user's erasures with its steps. Raises ``NotFound``."""
    tombstone = erasures_of(user_id).filter(pk=tombstone_id).prefetch_related("steps").first()
    if tombstone is None:
        raise NotFound()
    return tombstone


def erasure_by_secret(secret: str) -> Tombstone:
    """The erasure whose certificate link holds this secret, even if the account is gone. Raises ``NotFound``."""
    with in_role(OPERATOR_ROLE):  # nobody is signed in, and the person may not exist any more
        rows = Tombstone.objects.filter(link_hash=_hash_secret(secret))
        tombstone = rows.select_related("request").prefetch_related("steps").first()
    if tombstone is None:
        raise NotFound()
    return tombstone


def audit_erasure(
    tombstone: Tombstone, action: str, counts: Mapping[str, int] | None = None, actor_id: UUID | None = None
) -> None:
    """Write an audit event about the erasure: ids and counts, no content."""
    AuditEvent.objects.create(
        user_id=tombstone.user_id,
        actor_id=actor_id,
        action=action,
        subject_id=tombstone.pk,
        counts=dict(counts or {}),
    )


def _require_room(user_id: UUID, scope: str) -> None:
    running = Tombstone.objects.filter(user_id=user_id, completed_at=None)
    blocking = {ErasureScope.ACCOUNT.value} | ({scope} if scope in fence.COVERS else set())
    if running.filter(scope__in=blocking).exists():
        raise ErasureInProgress()


def link_secret(tombstone_id: UUID) -> str:
    """The secret in a certificate's link. It is derived from our key, so only its hash is stored; with the stored hash
    links stay valid after the key changes.
    """
    return salted_hmac("finclaw.erasure-certificate", str(tombstone_id), algorithm="sha256").hexdigest()


def _hash_secret(secret: str) -> str:
    # 256 bits that nobody can guess: no slow hash is needed.
    return hashlib.sha256(secret.encode()).hexdigest()
