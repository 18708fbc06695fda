"""Selects the entries of an organisation's knowledge by whom they hold for, and when; and its relations."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import BigIntegerField, Case, F, Func, Q, Sum, Value, When

from consent.querysets import VisibleManager
from knowledge.types import EntryState, Org

if TYPE_CHECKING:
    from knowledge.models import KnowledgeEntry, KnowledgeRelation


class KnowledgeEntryQuerySet(models.QuerySet["KnowledgeEntry"]):
    def meant_for(self, org: Org) -> Self:
        """The entries of this organisation for this tier, role and platform, in force or not."""
        here = _holds_for("org_tiers", org.tier) & _holds_for("roles", org.role)
        if org.platform:
            here &= _holds_for("platforms", org.platform)
        return self.filter(here, tenant_id=org.tenant_id)

    def in_force(self, org: Org, at: datetime) -> Self:
        """The entries in force for this organisation, tier, role and platform at ``at``."""
        return self.meant_for(org).in_state(EntryState.IN_FORCE, at)

    def in_state(self, state: EntryState, at: datetime) -> Self:
        """The entries that are in this state at ``at``."""
        return self.filter(_conditions(at)[state])

    def with_state(self, at: datetime) -> Self:
        """Each entry with its ``state`` at ``at``."""
        cases = [When(condition, then=Value(state.value)) for state, condition in _conditions(at).items()]
        return self.annotate(state=Case(*cases, output_field=models.CharField()))

    def without_vector(self, model_id: str) -> Self:
        """The entries without a vector of this model."""
        # Not ``exclude(model_id=…)``: PostgreSQL uses an index for < and >, but not for <>.
        return self.filter(Q(model_id__lt=model_id) | Q(model_id__gt=model_id))


_VisibleEntries = VisibleManager.from_queryset(KnowledgeEntryQuerySet)


class KnowledgeEntryManager(_VisibleEntries["KnowledgeEntry"]):
    """Entries that no erasure names, read without what finds them: no reader needs that, and a failing extension of
    vectors would take the rest of the row along.
    """

    def get_queryset(self) -> models.QuerySet[KnowledgeEntry]:
        return super().get_queryset().defer("terms", "vector")


class KnowledgeRelationQuerySet(models.QuerySet["KnowledgeRelation"]):
    def digest(self) -> models.QuerySet[KnowledgeRelation, Any]:
        """A number for each organisation that differs once its relations do, whenever they were committed: the sum of
        their hashes, of 64 bits each. None for one without relations.
        """
        said = Func(
            F("from_node"),
            F("kind"),
            F("to_node"),
            template="hash_record_extended(ROW(%(expressions)s), 0)",
            output_field=BigIntegerField(),
        )
        return (
            self.order_by("tenant_id").values("tenant_id").annotate(digest=Sum(said)).values_list("digest", flat=True)
        )


def _holds_for(field: str, value: str) -> Q:
    """An array of those for whom an entry holds, where an empty one means all."""
    return Q(**{field: []}) | Q(**{f"{field}__contains": [value]})


def _conditions(at: datetime) -> dict[EntryState, Q]:
    """What is true of the entries in each state; exactly one is, of any entry."""
    unlimited = Q(valid_to=None)
    return {
        EntryState.IN_FORCE: Q(valid_from__lte=at) & (unlimited | Q(valid_to__gt=at)),
        EntryState.NOT_YET: Q(valid_from__gt=at) & (unlimited | Q(valid_to__gt=F("valid_from"))),
        # What ends as it begins was withdrawn before, and never holds.
        EntryState.ENDED: Q(valid_to__lte=at) | Q(valid_to__lte=F("valid_from")),
    }
