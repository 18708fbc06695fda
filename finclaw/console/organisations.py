"""Memory quality and drift of each organisation beside the others, without those of too few people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from drift.digest import TenantDrift, drift_by_tenant
from finclaw.console.quality import NAMES, QualityFigure, tenant_figures
from foundation.accounts.group_sizes import FEWEST_PEOPLE, tenants_with_figures
from foundation.accounts.models import Tenant
from memory.quality.quality_indicators import SLIS

ORGANISATIONS_SHOWN: Final = 50
WEEK: Final = timedelta(days=7)


@dataclass(frozen=True)
class OrganisationRow:
    """One organisation's figures as they stand, and its drift in the last seven days; None where too few people
    changed their mind to say how many.
    """

    tenant: Tenant
    figures: tuple[QualityFigure, ...]
    drift: TenantDrift | None


@dataclass(frozen=True)
class OrganisationsPage:
    """What the page shows. ``hidden`` counts the organisations of fewer than ``fewest`` people."""

    names: tuple[str, ...]
    rows: tuple[OrganisationRow, ...]
    hidden: int
    fewest: int = FEWEST_PEOPLE


def organisations_page(now: datetime) -> OrganisationsPage:
    """The figures of the first ``ORGANISATIONS_SHOWN`` organisations by name. Call in the operators' role."""
    shown = tenants_with_figures()
    tenants = Tenant.objects.filter(pk__in=shown).order_by("name")[:ORGANISATIONS_SHOWN]
    changed = drift_by_tenant(now, WEEK)
    rows = [
        OrganisationRow(tenant, tenant_figures(now, tenant.pk), _drift_of(changed.get(tenant.pk))) for tenant in tenants
    ]
    names = tuple(str(NAMES[indicator.name]) for indicator in SLIS)
    return OrganisationsPage(names, tuple(rows), Tenant.objects.count() - len(shown))


def _drift_of(counted: TenantDrift | None) -> TenantDrift | None:
    """The drift of an organisation; None where fewer than ``FEWEST_PEOPLE``, but somebody, changed their mind."""
    if counted is None:
        return TenantDrift(0, 0)
    return counted if counted.people >= FEWEST_PEOPLE else None
