"""The figures upkeep goes by, and what an organisation sets instead."""

from __future__ import annotations

from typing import Any

import pytest

from foundation.accounts.models import Tenant
from memory.governance.thresholds import Thresholds, thresholds_of


def test_nobodys_thresholds_are_the_seeds() -> None:
    found = thresholds_of(None)
    assert (found.staleness_rate, found.conflict_rate) == (0.20, 0.10)
    assert (found.similarity, found.consolidate_from) == (0.85, 3)
    assert (found.staleness_slo, found.conflict_slo) == (0.15, 0.10)


def test_a_tenant_overrides_what_it_names() -> None:
    tenant = Tenant(name="Desk", settings={"legal_profile": "pipl", "governance": {"conflict_rate": 0.3}})
    assert thresholds_of(tenant) == Thresholds(conflict_rate=0.3)


@pytest.mark.parametrize(
    "refused",
    [{"conflict_rate": 2}, {"similarity": 0}, {"consolidate_from": 1}, {"conflict_rat": 0.3}, "high", None, [0.2]],
)
def test_settings_that_cannot_be_read_leave_the_defaults(refused: Any) -> None:
    assert thresholds_of(Tenant(name="Desk", settings={"governance": refused})) == Thresholds()
