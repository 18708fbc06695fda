"""Grant, change and withdraw consent, and make permits."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from consent import permit as permits
from consent.erasure.fence import fenced_scopes
from consent.exceptions import ConsentOutdated, ErasureInProgress
from consent.models import Capability, ProfileConsent
from consent.permit import Permit
from consent.types import WithdrawalEffects
from consent.withdrawal import apply_withdrawal
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from foundation.telemetry.degradations import report_degraded
from foundation.telemetry.metrics import CONSENT_GRANTED, EVOLUTION_BLOCKED
from foundation.telemetry.spans import set_span_attributes, traced

PERSONALIZATION_STOPPED: Final = "personalization_stopped"


def permit_for(user: User) -> Permit:
    """The user's permit under the present consent. Call in a transaction acting for them, or no consent is visible."""
    return _permit_of(user.pk)


def decided_permit(user: User) -> Permit:
    """``permit_for`` a user who has answered the consent question. Raises ``ProfileConsentRequired`` before that."""
    permit = permit_for(user)
    permit.require_decision()
    return permit


def permit_with_experiments(user: User) -> Permit:
    """``permit_for`` with the experiments that run, read in the same statement."""
    return _permit_of(user.pk, with_experiments=True)


def turn_permit(user: User) -> Permit:
    """``decided_permit`` with the experiments that run: for the beginning of a turn."""
    permit = permit_with_experiments(user)
    permit.require_decision()
    return permit


def permit_for_answers(user: User) -> Permit:
    """``decided_permit`` for reading what goes into a prompt; reports an answer without personalization as degraded."""
    permit = decided_permit(user)
    note_personalization(permit)
    return permit.for_answers()


def note_personalization(permit: Permit) -> None:
    """Report to the current turn or task that it runs without personalization, if it does."""
    if Capability.PERSONALIZATION in permit.stopped:
        report_degraded(PERSONALIZATION_STOPPED)


def _permit_of(user_id: UUID, *, with_experiments: bool = False) -> Permit:
    consent = ProfileConsent.objects.in_force_for(user_id, with_experiments=with_experiments)
    return (
        permits._permit_without_consent(user_id)
        if consent is None
        else permits._issue_permit(consent, fenced_scopes(consent.fences))
    )


def renewed_permit(permit: Permit) -> Permit:
    """The user's permit read anew, with the user locked until the transaction ends, so that it cannot change before.

    Raises ``NotFound`` for an erased account.
    """
    lock_user(permit.user_id)
    return _permit_of(permit.user_id)


def hold_permit(permit: Permit) -> None:
    """Keep the permit valid until the transaction ends by a lock: no withdrawal can come between reading and writing.

    Raises ``ConsentOutdated`` when the consent has changed since the permit was made, ``ErasureInProgress`` when an
    erasure was asked for since.
    """
    current = renewed_permit(permit)
    if current.version != permit.version or current.consent_id is None:
        raise ConsentOutdated()
    if current.erasing - permit.erasing:
        EVOLUTION_BLOCKED.inc()
        raise ErasureInProgress()


def learning_permit(user_id: UUID, since_version: int | None = None) -> Permit | None:
    """For the worker: the permit to learn from what was stored under consent version ``since_version``, with the user
    locked until the transaction ends; None when the scope was withdrawn since, even if it was granted again, or the
    account is gone.

    A caller without ``since_version`` must compare each row's version with ``scope_held_since``. Raises
    ``LearningStopped``, which makes a job wait.
    """
    try:
        lock_user(user_id)
    except NotFound:
        return None
    permit = _permit_of(user_id)
    if permit.erasing:
        EVOLUTION_BLOCKED.inc()
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return None
    permit.require_learning()
    lapsed = since_version is not None and since_version < scope_held_since(user_id, ConsentScope.MEMORY_LEARNING)
    return None if lapsed else permit


def consent_versions(user: User) -> QuerySet[Any]:
    """Every version the user's consents ever had, as recorded, the latest first."""
    versions: QuerySet[Any] = ProfileConsent.history.filter(user_id=user.pk).order_by("-version")
    return versions


def scope_held_since(user_id: UUID, scope: ConsentScope) -> int:
    """The consent version from which on the scope has held without a gap, if it holds now.

    Granting again restores nothing: what was stored under an earlier version may not be used.
    """
    return ProfileConsent.objects.last_version_without(user_id, scope) + 1


def scope_has_lapsed(permit: Permit, scope: ConsentScope, since_version: int) -> bool:
    """Whether a scope was granted at ``since_version`` and has been withdrawn since, even for a while: what was stored
    under it then may not be used again. False for a scope that was not granted then: nothing was stored under it.
    """
    then = ProfileConsent.history.filter(user_id=permit.user_id, version=since_version).first()
    came_in = then is None or getattr(then, scope.value)
    return came_in and (scope_held_since(permit.user_id, scope) > since_version or not permit.allows(scope))


@traced("profile_consent_grant")
def grant_consent(user: User, scopes: Collection[ConsentScope], *, source: str) -> ProfileConsent:
    """Record what the user allows: a new version of the consent in force, or a new consent after a revocation.

    Where exactly this is allowed already, the consent stays as it is.
    """
    with transaction.atomic():
        lock_user(user.pk)  # two changes at once would both read version n and write n + 1
        latest = ProfileConsent.objects.latest_of(user.pk)
        if latest is not None and latest.revoked_at is None and latest.scopes == set(scopes):
            return latest
        now = timezone.now()
        if latest is None or latest.revoked_at is not None:
            consent = ProfileConsent(user=user, granted_at=now, version=latest.version + 1 if latest else 1)
            transaction.on_commit(CONSENT_GRANTED.inc)
        else:
            consent = latest
            consent.version += 1
        dropped = consent.scopes - set(scopes)
        _save_consent(consent, scopes, now, source)
        set_span_attributes(consent_id_ref=str(consent.pk), consent_version=consent.version, source=source)
        apply_withdrawal(user.pk, dropped, now)
        return consent


def withdraw_consent(
    user: User, consent_id: UUID, scopes: Collection[ConsentScope] = (), *, source: str
) -> tuple[ProfileConsent, WithdrawalEffects]:
    """Withdraw some scopes, or with none named everything at once, which alone sets ``revoked_at``.

    Where none of the named scopes holds, the consent stays as it is.

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
        if scopes and not dropped:
            return consent, apply_withdrawal(user.pk, dropped, now)
        consent.version += 1
        if not scopes:
            consent.revoked_at = now
        _save_consent(consent, consent.scopes - dropped, now, source)
        return consent, apply_withdrawal(user.pk, dropped, now)


def _save_consent(consent: ProfileConsent, scopes: Collection[ConsentScope], now: datetime, source: str) -> None:
    for scope in ConsentScope:
        setattr(consent, scope.value, scope in scopes)
    consent.changed_at = now
    consent.source = source
    consent.save()
