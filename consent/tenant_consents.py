"""Records, with evidence, and withdraws the consent of people who use FinClaw through an organisation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.models import ConsentEvidence, ProfileConsent
from consent.sensitive.services import screen_text
from consent.services import consent_versions, grant_consent, permit_for, withdraw_consent
from consent.types import WithdrawalEffects
from foundation.accounts.models import ServiceToken, Tenant, User
from foundation.accounts.services import lock_user
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope


@dataclass(frozen=True)
class GivenEvidence:
    """When somebody agreed, to which text, and where the organisation keeps the record of it."""

    agreed_at: datetime
    statement: str = ""
    reference: str = ""


def record_consent(
    user: User, scopes: Collection[ConsentScope], given: GivenEvidence, token: ServiceToken, tenant: Tenant
) -> ConsentEvidence:
    """Grant exactly these scopes for a managed account, and keep the evidence. Call while acting for the person.

    Raises ``ValidationFailed`` for evidence without statement and reference, dated in the future, or older than a
    withdrawal of these scopes; ``SensitiveInput`` for evidence with personal data in it.
    """
    if not (given.statement or given.reference):
        raise ValidationFailed(details={"evidence": [_("Give the statement that was agreed to, or a reference.")]})
    if given.agreed_at > timezone.now():
        raise ValidationFailed(details={"evidence": [_("Nobody has agreed at a time to come.")]})
    screen_text("consent_statement", given.statement)
    screen_text("reference", given.reference)
    with transaction.atomic():
        lock_user(user.pk)  # no withdrawal can come between reading them and granting
        withdrawn = _withdrawn_at(user, scopes)
        if withdrawn is not None and given.agreed_at <= withdrawn:
            raise ValidationFailed(
                details={"evidence": [_("This was withdrawn since. Record an agreement that was given afterwards.")]}
            )
        consent = grant_consent(user, scopes, source=ProfileConsent.Source.TENANT)
        return ConsentEvidence.objects.create(
            user=user,
            tenant_id=tenant.pk,
            consent_version=consent.version,
            agreed_at=given.agreed_at,
            statement=given.statement,
            reference=given.reference,
            recorded_by=token.pk,
        )


def _withdrawn_at(user: User, scopes: Collection[ConsentScope]) -> datetime | None:
    """When one of these scopes, or everything at once, was withdrawn last; None where nothing was."""
    latest, held = None, frozenset[ConsentScope]()
    for version in consent_versions(user).order_by("version"):
        holds = frozenset(scope for scope in scopes if getattr(version, scope.value) and version.revoked_at is None)
        if held - holds or (scopes and version.revoked_at is not None):
            latest = version.changed_at
        held = holds
    return latest


def withdraw_recorded(user: User) -> tuple[ProfileConsent, WithdrawalEffects]:
    """Withdraw everything that was recorded for a managed account. Raises ``NotFound`` where nothing is in force."""
    permit = permit_for(user)
    if permit.consent_id is None or permit.is_revoked:
        raise NotFound(_("No consent is recorded for this person."))
    return withdraw_consent(user, permit.consent_id, source=ProfileConsent.Source.TENANT)


def latest_evidence(user_id: UUID) -> ConsentEvidence | None:
    """The evidence recorded last. Call while acting for the person."""
    return ConsentEvidence.objects.filter(user_id=user_id).first()
