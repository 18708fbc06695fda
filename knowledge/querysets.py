"""Selects the entries of an organisation's knowledge that hold for a tier at a time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

from knowledge.types import Org

if TYPE_CHECKING:
    from knowledge.models import KnowledgeEntry  # noqa: F401  named in the base class


class KnowledgeEntryQuerySet(models.QuerySet["KnowledgeEntry"]):
    def for_tier(self, org: Org) -> Self:
        """The entries of this organisation for this tier, in force or not."""
        here = Q(org_tiers=[]) | Q(org_tiers__contains=[org.tier])
        return self.filter(here, tenant_id=org.tenant_id)

    def in_force(self, org: Org, at: datetime) -> Self:
        """The entries in force for this organisation and tier at ``at``."""
        valid = Q(valid_to=None) | Q(valid_to__gt=at)
        return self.for_tier(org).filter(valid, valid_from__lte=at)
