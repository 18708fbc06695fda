"""Which organisations have enough people for figures about them to name nobody."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import Count

from foundation.accounts.models import User

FEWEST_PEOPLE: Final = 5
"""Figures of fewer people than this are not shown: whoever knows the others could tell one person's."""


def tenants_with_figures() -> frozenset[UUID]:
    """The organisations whose figures may be shown beside those of everybody. Call in the operators' role.

    Those with too few people are left out; and where all who are left out are too few together, so is the smallest of
    the others: subtracted from everybody's, its figures would tell theirs.
    """
    counted = User.objects.filter(is_active=True).order_by().values_list("tenant_id").annotate(people=Count("pk"))
    people = dict(counted)
    alone = people.pop(None, 0)
    shown = {tenant: count for tenant, count in people.items() if count >= FEWEST_PEOPLE}
    hidden = alone + sum(count for tenant, count in people.items() if tenant not in shown)
    if 0 < hidden < FEWEST_PEOPLE and shown:
        del shown[min(shown, key=lambda tenant: (shown[tenant], tenant))]
    return frozenset(shown)
