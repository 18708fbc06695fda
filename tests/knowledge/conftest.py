from __future__ import annotations

import pytest

from foundation.accounts.models import Tenant, User
from tests.support.organisation import employ


@pytest.fixture
def tenant(alice: User, bob: User) -> Tenant:
    """Alice and Bob work there; Charlie does not."""
    tenant = Tenant.objects.create(name="Krugerrand Ltd", org_tier=Tenant.OrgTier.FRANCHISE_STORE)
    employ(tenant, alice, bob)
    return tenant


@pytest.fixture
def other_tenant(charlie: User) -> Tenant:
    """Where Charlie works."""
    tenant = Tenant.objects.create(name="Tanganyika Ltd")
    employ(tenant, charlie)
    return tenant
