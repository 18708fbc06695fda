"""Organisations whose applications serve people of their own."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Final

from rest_framework.test import APIClient

from consent.tenant_consents import GivenEvidence
from finclaw.provisioning import set_end_user_consent
from foundation.accounts.models import ServiceToken, Tenant, User
from foundation.accounts.service_tokens import issue_service_token
from foundation.ids import new_id
from foundation.personal_data import ConsentScope

AGREED: Final = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
EVIDENCE: Final = {"agreed_at": AGREED.isoformat(), "reference": "sign-up/3"}


def tenant_with_token(name: str) -> tuple[ServiceToken, str]:
    """A new organisation's service token, and its plain text."""
    return issue_service_token(Tenant.objects.create(name=name), "application", new_id())


def provisioning_token() -> tuple[ServiceToken, str]:
    """A token that provisions, and its plain text."""
    return issue_service_token(None, "integrator", new_id())


def program_with(plain: str, for_user: str = "") -> APIClient:
    """A client with a service token, which acts for one of its people where one is named."""
    client = APIClient(raise_request_exception=False)
    named = {"HTTP_X_FINCLAW_USER": for_user} if for_user else {}
    client.credentials(HTTP_AUTHORIZATION=f"Token {plain}", **named)
    client.default_format = "json"
    return client


def served(token: ServiceToken, name: str, scopes: Collection[ConsentScope] = tuple(ConsentScope)) -> User:
    """A person whom the token's organisation serves, who agreed to these scopes."""
    return set_end_user_consent(token, name, scopes, GivenEvidence(AGREED, reference="sign-up/3"))[0]
