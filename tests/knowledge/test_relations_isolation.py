"""An organisation's relations are read by its members and written by operators alone, whatever a query forgets."""

from __future__ import annotations

import pytest
from django.db.utils import ProgrammingError

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from knowledge.models import KnowledgeRelation
from tests.knowledge.stores.graph_contract import relate


def test_members_read_their_own_organisations(alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")

    def read(user: User) -> list[str]:
        with acting_as(user.pk):
            return list(KnowledgeRelation.objects.values_list("to_node", flat=True))

    assert read(alice) == ["wool-scarf"]
    assert read(charlie) == ["top-hat"]


def test_a_member_writes_none(alice: User, tenant: Tenant) -> None:
    relation = KnowledgeRelation(tenant=tenant, from_node="linen-jacket", kind="excludes", to_node="shorts")
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(alice.pk):
        relation.save(force_insert=True)
