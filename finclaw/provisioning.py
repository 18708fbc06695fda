"""Provisions organisations, accounts, service tokens and the people an organisation serves; each act is audited."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from consent.models import AuditEvent, ConsentEvidence, ProfileConsent, Tombstone
from consent.models.erasure import ErasureScope, Sources
from consent.sensitive.services import screen_text
from consent.tenant_consents import GivenEvidence, record_consent, withdraw_recorded
from finclaw.erasure import forget
from foundation.accounts.managed_accounts import ensure_managed, find_managed
from foundation.accounts.models import ServiceToken, Tenant, User
from foundation.accounts.names import require_display_name, require_username
from foundation.accounts.service_tokens import issue_service_token, live_service_tokens, revoke_service_token
from foundation.accounts.services import new_recovery_codes
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError, ValidationFailed, require_found
from foundation.personal_data import ConsentScope

Provisioner = User | ServiceToken
"""Who provisions: a superuser, or a service token of no organisation."""


class ProvisioningRefused(FinClawError):
    """A user or token provisions something that it may not."""

    code = "permission_denied"
    default_message = "This token may not do this."


def require_provisioner(provisioner: Provisioner) -> None:
    """Raise ``ProvisioningRefused`` unless this is a superuser, or a token that provisions."""
    if isinstance(provisioner, User):
        is_allowed = provisioner.is_active and provisioner.is_superuser
    else:
        is_allowed = provisioner.tenant_id is None
    if not is_allowed:
        raise ProvisioningRefused()


def tenants_of(provisioner: Provisioner) -> QuerySet[Tenant]:
    """The organisations that a provisioner may manage: all for a superuser, for a token those that it added itself.

    Raises ``ProvisioningRefused``.
    """
    require_provisioner(provisioner)
    tenants = Tenant.objects.all()
    return tenants if isinstance(provisioner, User) else tenants.filter(provisioned_by=provisioner.pk)


def tenant_for(provisioner: Provisioner, tenant_id: UUID) -> Tenant:
    """One of ``tenants_of``. Raises ``NotFound`` for any other, and ``ProvisioningRefused``."""
    return require_found(tenants_of(provisioner).filter(pk=tenant_id).first())


def tokens_seen_by(token: ServiceToken, tenant_id: UUID | None) -> QuerySet[ServiceToken]:
    """The live tokens that a service token may list: those of its own organisation. A token that provisions lists those
    of an organisation it added, or only itself where none is named. Raises ``NotFound`` for any other organisation.
    """
    if token.tenant_id is not None:
        return live_service_tokens(token.tenant_id)
    if tenant_id is None:
        return live_service_tokens(None).filter(pk=token.pk)
    return live_service_tokens(tenant_for(token, tenant_id).pk)


def add_tenant(name: str, provisioner: Provisioner) -> Tenant:
    """A new organisation. Raises ``ProvisioningRefused``, and ``ValidationFailed`` for a name that is taken."""
    require_provisioner(provisioner)
    screen_text("tenant_name", name)
    with transaction.atomic():
        tenant, is_new = Tenant.objects.get_or_create(name=name, defaults={"provisioned_by": provisioner.pk})
        if not is_new:
            raise ValidationFailed(details={"name": [_("There is an organisation of this name already.")]})
        _audit(provisioner.pk, "tenant.added", provisioner, tenant.pk)
    return tenant


def add_account(
    username: str, tenant: Tenant | None, role: str, provisioner: Provisioner, *, display_name: str = ""
) -> tuple[User, list[str]]:
    """A new account without a password, and the recovery codes by which its owner can set one.

    Raises ``ProvisioningRefused``, ``NotFound`` for an organisation that is not the provisioner's, and
    ``ValidationFailed`` for names that nobody may take.
    """
    require_provisioner(provisioner)
    if tenant is not None:
        tenant_for(provisioner, tenant.pk)
    for field, name in (("username", username), ("display_name", display_name)):
        screen_text(field, name)
    require_username(username)
    if display_name:
        require_display_name(display_name)
    with transaction.atomic():
        user = User.objects.create_user(username, tenant=tenant, role=role, display_name=display_name)
        codes = new_recovery_codes(user)
        _audit(user.pk, "account.provisioned", provisioner, user.pk, {"tenant": str(tenant.pk) if tenant else ""})
    return user, codes


def add_service_token(tenant: Tenant | None, name: str, provisioner: Provisioner) -> tuple[ServiceToken, str]:
    """A new service token and its plain text, shown once. Only superusers may issue one without a tenant, which can
    provision.

    Raises ``ProvisioningRefused``, and ``NotFound`` for an organisation that is not the provisioner's.
    """
    require_provisioner(provisioner)
    if tenant is not None:
        tenant_for(provisioner, tenant.pk)
    elif not isinstance(provisioner, User):
        raise ProvisioningRefused()
    screen_text("token_name", name)
    with transaction.atomic():
        token, plain = issue_service_token(tenant, name, provisioner.pk)
        details = {"tenant": str(tenant.pk) if tenant else ""}
        _audit(provisioner.pk, "service_token.issued", provisioner, token.pk, details)
    return token, plain


def end_service_token(token_id: UUID, provisioner: Provisioner) -> None:
    """Revoke a service token at once. A superuser may revoke any, an organisation's token those of the organisation,
    and a token that provisions itself and those of the organisations it added.

    Raises ``NotFound`` for any other token, or one that is revoked already.
    """
    tokens = ServiceToken.objects.filter(revoked_at=None)
    if isinstance(provisioner, User):
        require_provisioner(provisioner)
    elif provisioner.tenant_id is not None:
        tokens = tokens.filter(tenant_id=provisioner.tenant_id)
    else:
        tokens = tokens.filter(Q(pk=provisioner.pk) | Q(tenant__in=tenants_of(provisioner)))
    with transaction.atomic():
        token = require_found(tokens.select_for_update(of=("self",)).filter(pk=token_id).first())
        revoke_service_token(token)
        _audit(provisioner.pk, "service_token.revoked", provisioner, token.pk)


def add_end_user(token: ServiceToken, external_id: str, details: Mapping[str, str]) -> tuple[User, bool]:
    """The managed account of one of the organisation's people, and whether it was created just now.

    ``details`` may hold ``display_name`` and ``time_zone``. Raises ``ProvisioningRefused`` for a token of no
    organisation.
    """
    tenant = tenant_of(token)
    screen_text("external_id", external_id)
    screen_text("display_name", details.get("display_name", ""))
    with transaction.atomic():
        user, is_new = ensure_managed(tenant, external_id, **details)
        if not user.is_active:  # its erasure is under way
            raise ProvisioningRefused(_("This account is being erased. Try again when the erasure is complete."))
        if is_new:
            audit_for(user.pk, "service.user_added", token)
    return user, is_new


def end_user(token: ServiceToken, name: str) -> User:
    """One of the organisation's people. Raises ``NotFound`` for anybody else, and as ``tenant_of``."""
    return require_found(find_managed(tenant_of(token).pk, name))


def set_end_user_consent(
    token: ServiceToken, external_id: str, scopes: Collection[ConsentScope], given: GivenEvidence
) -> tuple[User, ConsentEvidence]:
    """Record what one of the organisation's people agreed to; creates their account if there is none."""
    tenant = tenant_of(token)
    user = find_managed(tenant.pk, external_id) or add_end_user(token, external_id, {})[0]
    with acting_as(user.pk):
        evidence = record_consent(user, scopes, given, token, tenant)
        details = {"scopes": sorted(scope.value for scope in scopes)}
        audit_for(user.pk, "service.consent_recorded", token, evidence.pk, details)
    return user, evidence


def withdraw_end_user_consent(token: ServiceToken, name: str) -> ProfileConsent:
    """Withdraw everything that one of the organisation's people agreed to. Raises ``NotFound``."""
    user = end_user(token, name)
    with acting_as(user.pk):
        consent, _effects = withdraw_recorded(user)
        audit_for(user.pk, "service.consent_withdrawn", token, consent.pk)
    return consent


def erase_end_user(token: ServiceToken, name: str) -> tuple[User, Tombstone]:
    """Erase one of the organisation's people with everything kept of them. Raises ``NotFound``."""
    user = end_user(token, name)
    with acting_as(user.pk):
        tombstone = forget(user, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
        audit_for(user.pk, "service.account_erased", token, tombstone.pk)
    return user, tombstone


def tenant_of(token: ServiceToken) -> Tenant:
    """The organisation of a token. Raises ``ProvisioningRefused`` for one that only provisions."""
    if token.tenant is None:
        raise ProvisioningRefused()
    return token.tenant


def audit_for(
    user_id: UUID,
    action: str,
    token: ServiceToken,
    subject: UUID | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record what a service token did about one of its organisation's people."""
    told = {"tenant": str(token.tenant_id), **(details or {})}
    _audit(user_id, action, token, subject, told)


def _audit(
    about: UUID, action: str, actor: Provisioner, subject: UUID | None = None, details: Mapping[str, Any] | None = None
) -> None:
    with acting_as(about):
        AuditEvent.objects.create(
            user_id=about, actor_id=actor.pk, action=action, subject_id=subject, details=dict(details or {})
        )
