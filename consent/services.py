"""Granting, changing and withdrawing consent, and the permit that speaks for it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from consent import permit as permits
from consent.declarations import withdrawn_with
from consent.exceptions import ConsentOutdated
from consent.models import ProfileConsent
from consent.permit import Permit
from consent.types import WithdrawalEffects
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.exceptions import NotFound
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import OnWithdrawal, Scope
from foundation.telemetry.metrics import CONSENT_GRANTED

PURGE_WITHIN = timedelta(hours=48)  # seed A §10.4
PURGE_TOPIC = "consent.purge"


def permit_for(user: User) -> Permit:
    """The consent that holds now. Call inside a transaction acting for the user: else it reads as never given."""
    consent = ProfileConsent.objects.latest_of(user.pk)
    if consent is None:
        return permits._issue(user.pk, None, 0, frozenset(), revoked=False)
    return permits._issue(user.pk, consent.pk, consent.version, consent.scopes, consent.revoked_at is not None)


def hold(permit: Permit) -> None:
    """Make the permit's word last until the transaction ends: no withdrawal comes between reading and writing.

    Raises ``ConsentOutdated`` when the consent has changed since the permit was made.
    """
    lock_user(permit.user_id)
    current = ProfileConsent.objects.latest_of(permit.user_id)
    if current is None or current.version != permit.version:
        raise ConsentOutdated()


def learning_permit(user_id: UUID, since_version: int) -> Permit | None:
    """For the worker: the permit under which what was taken in at ``since_version`` may be learned from, held until
    the transaction ends; None when the scope was withdrawn, were it granted again since (C-5).
    """
    lock_user(user_id)
    permit = permit_for(User.objects.get(pk=user_id))
    if not permit.allows(Scope.MEMORY_LEARNING) or since_version < held_since(user_id, Scope.MEMORY_LEARNING):
        return None
    return permit


def consent_versions(user: User) -> QuerySet[Any]:
    """Every version the person's consents ever had, as recorded, the latest first (C-1)."""
    versions: QuerySet[Any] = ProfileConsent.history.filter(user_id=user.pk).order_by("-version")
    return versions


def held_since(user_id: UUID, scope: Scope) -> int:
    """The consent version from which on the scope has held without a gap, if it holds now.

    What was stored under an earlier version came back with no grant since (C-5): it may not be used again.
    """
    without = ProfileConsent.history.filter(user_id=user_id, **{scope.value: False})
    latest = without.order_by("-version").values_list("version", flat=True).first()
    return (latest or 0) + 1


def grant(user: User, scopes: Collection[Scope], *, source: str) -> ProfileConsent:
    """Record what the user allows: a new version of the consent in force, or a new consent after a revocation."""
    with transaction.atomic():
        lock_user(user.pk)  # two changes at once would both read version n and write n + 1
        latest = ProfileConsent.objects.latest_of(user.pk)
        now = timezone.now()
        if latest is None or latest.revoked_at is not None:
            consent = ProfileConsent(user=user, granted_at=now, version=latest.version + 1 if latest else 1)
            CONSENT_GRANTED.inc()
        else:
            consent = latest
            consent.version += 1
        dropped = consent.scopes - set(scopes)
        _save(consent, scopes, now, source)
        _apply_withdrawal(user, dropped)
        return consent


def withdraw(
    user: User, consent_id: UUID, scopes: Collection[Scope] = (), *, source: str
) -> tuple[ProfileConsent, WithdrawalEffects]:
    """Withdraw some scopes, or with none named everything at once, which alone sets ``revoked_at`` (C-5).

    Raises ``NotFound`` for an id that is not this user's, ``ConsentOutdated`` for one no longer in force.
    """
    with transaction.atomic():
        lock_user(user.pk)  # two changes at once would both read version n and write n + 1
        consent = ProfileConsent.objects.latest_of(user.pk)
        if consent is None or not ProfileConsent.objects.filter(pk=consent_id, user=user).exists():
            raise NotFound()
        if consent.pk != consent_id or consent.revoked_at is not None:
            raise ConsentOutdated()
        dropped = consent.scopes & set(scopes) if scopes else consent.scopes
        now = timezone.now()
        consent.version += 1
        if not scopes:
            consent.revoked_at = now
        _save(consent, consent.scopes - dropped, now, source)
        return consent, _apply_withdrawal(user, dropped)


def _save(consent: ProfileConsent, scopes: Collection[Scope], now: datetime, source: str) -> None:
    for scope in Scope:
        setattr(consent, scope.value, scope in scopes)
    consent.changed_at = now
    consent.source = source
    consent.save()


def _apply_withdrawal(user: User, dropped: Collection[Scope]) -> WithdrawalEffects:
    """Follow the declarations: delete now, cancel what waits, and book the purge of what was learned."""
    deleted = sum(_delete_now(user, scope) for scope in dropped)
    cancelled = sum(outbox.cancel_waiting(user.pk, scope.value) for scope in dropped)
    purges = [scope for scope in dropped if withdrawn_with(scope, OnWithdrawal.PURGE)]
    now = timezone.now()
    for scope in purges:
        outbox.enqueue(PURGE_TOPIC, user_id=user.pk, payload={"scope": scope.value, "before": now.isoformat()})
    return WithdrawalEffects(
        profile_contexts_deleted=deleted,
        thread_contexts_blocked=0,
        training_candidates_revoked=0,
        queued_work_cancelled=cancelled,
        purge_due_at=now + PURGE_WITHIN if purges else None,
    )


def _delete_now(user: User, scope: Scope) -> int:
    counts = []
    for personal in withdrawn_with(scope, OnWithdrawal.DELETE):
        rows = personal.model._default_manager.filter(**{personal.declaration.owner: user.pk})
        counts.append((rows.delete()[1].get(personal.label, 0), hasattr(personal.model, "instance_type")))
    return sum(count for count, is_history in counts if not is_history)


def purge_due_at(user: User) -> datetime | None:
    """When the last purge under way will be over at the latest; None where nothing is being removed."""
    waiting = OutboxMessage.objects.filter(
        user=user, topic=PURGE_TOPIC, state__in=[OutboxMessage.State.PENDING, OutboxMessage.State.PROCESSING]
    )
    latest = waiting.order_by("-created_at").values_list("created_at", flat=True).first()
    return latest + PURGE_WITHIN if latest else None
