"""Service tokens: credentials of an organisation's application, or of whoever provisions organisations."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from foundation.accounts.models import ServiceToken, Tenant
from foundation.accounts.services import find_token, use_token
from foundation.accounts.tokens import new_token, token_digest, token_key

PREFIX: Final = "fcs_"
"""What a service token begins with, and no token of a person does: they are hexadecimal."""


def is_service_token(plain: str) -> bool:
    """Whether a credential claims to be a service token."""
    return plain.startswith(PREFIX)


def issue_service_token(tenant: Tenant | None, name: str, issued_by: UUID) -> tuple[ServiceToken, str]:
    """A new token and its plain text, which is shown once. Without a tenant it may create organisations."""
    secret = new_token()
    token = ServiceToken.objects.create(
        tenant=tenant, name=name, digest=token_digest(secret), token_key=token_key(secret), issued_by=issued_by
    )
    return token, f"{PREFIX}{secret}"


def authenticate_service_token(plain: str) -> ServiceToken:
    """The live token behind ``plain``. Raises ``TokenInvalid``, ``TokenExpired`` or ``TokenRevoked``."""
    token = find_token(ServiceToken.objects.select_related("tenant"), plain.removeprefix(PREFIX))
    use_token(token, token.expires_at)
    return token


def live_service_tokens(tenant_id: UUID | None) -> QuerySet[ServiceToken]:
    """The tokens of an organisation that are neither revoked nor expired, the newest first; of None, those that
    provision.
    """
    unexpired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    owned = Q(tenant=None) if tenant_id is None else Q(tenant_id=tenant_id)
    return ServiceToken.objects.filter(unexpired, owned, revoked_at=None).order_by("-created_at")


def revoke_service_token(token: ServiceToken) -> bool:
    """Revoke a token at once; whether it was live until now."""
    now = timezone.now()
    return ServiceToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now) == 1
