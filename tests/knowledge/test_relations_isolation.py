"""An organisation's relations are read by its members, and written by those who may, whatever a query forgets."""

from __future__ import annotations

import pytest
from django.db.utils import ProgrammingError

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
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


def _write(user: User, tenant: Tenant) -> None:
    relation = KnowledgeRelation(tenant=tenant, from_node="linen-jacket", kind="excludes", to_node="shorts")
    with acting_as(user.pk):
        relation.save(force_insert=True)


@pytest.mark.parametrize("role", [User.Role.EDITOR, User.Role.VIEWER])
def test_a_member_who_only_reads_writes_and_removes_none(alice: User, tenant: Tenant, role: str) -> None:
    User.objects.filter(pk=alice.pk).update(role=role)
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    with pytest.raises(ProgrammingError, match="row-level security"):
        _write(alice, tenant)
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(alice.pk):
        KnowledgeRelation.objects.all().delete()  # nor what a history would say of it
    with in_role(OPERATOR_ROLE):
        assert KnowledgeRelation.objects.get().to_node == "wool-scarf"


def test_an_owner_writes_and_removes_their_own_organisations_alone(
    alice: User, tenant: Tenant, other_tenant: Tenant
) -> None:
    User.objects.filter(pk=alice.pk).update(role=User.Role.OWNER)
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")
    with pytest.raises(ProgrammingError, match="row-level security"):
        _write(alice, other_tenant)
    _write(alice, tenant)
    with acting_as(alice.pk):
        assert KnowledgeRelation.objects.update(to_node="top-hat") == 0
        assert KnowledgeRelation.objects.all().delete()[0] == 1
    with in_role(OPERATOR_ROLE):
        assert KnowledgeRelation.objects.get().tenant_id == other_tenant.pk


def test_who_was_deactivated_writes_none(alice: User, tenant: Tenant) -> None:
    User.objects.filter(pk=alice.pk).update(role=User.Role.OWNER, is_active=False)
    with pytest.raises(ProgrammingError, match="row-level security"):
        _write(alice, tenant)
