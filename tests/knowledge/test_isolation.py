"""An organisation's knowledge is read by its members and written by operators, whatever a query forgets."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db.utils import ProgrammingError

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import AssetAlias, KnowledgeEntry
from tests.support.organisation import know


def _read(user_id: UUID | None) -> set[str]:
    with acting_as(user_id):
        return set(KnowledgeEntry.objects.values_list("text", flat=True))


def test_an_outsider_reads_nothing(alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant) -> None:
    know(tenant, "We open at nine.")
    know(other_tenant, "We never open.")

    assert _read(charlie.pk) == {"We never open."}
    assert _read(alice.pk) == {"We open at nine."}
    assert _read(None) == set()


def test_whoever_leaves_reads_no_more(alice: User, tenant: Tenant) -> None:
    know(tenant, "We open at nine.")
    User.objects.filter(pk=alice.pk).update(tenant=None)

    assert _read(alice.pk) == set()


@pytest.mark.parametrize("derived", [False, True])
def test_a_member_cannot_write_what_is_not_made_from_their_own_memory(
    alice: User, bob: User, tenant: Tenant, derived: bool
) -> None:
    entry = KnowledgeEntry(tenant=tenant, text="Closed.", terms="", derived_from_user=bob.pk if derived else None)
    entry.skip_history_when_saving = True
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(alice.pk):
        entry.save(force_insert=True)


def test_a_member_cannot_put_their_memory_into_another_organisation(
    alice: User, tenant: Tenant, other_tenant: Tenant
) -> None:
    entry = KnowledgeEntry(tenant=other_tenant, text="Closed.", terms="", derived_from_user=alice.pk)
    entry.skip_history_when_saving = True
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(alice.pk):
        entry.save(force_insert=True)


def test_a_member_changes_and_removes_nothing(alice: User, tenant: Tenant) -> None:
    know(tenant, "We open at nine.")
    with acting_as(alice.pk):
        assert KnowledgeEntry.objects.update(text="We are closed.") == 0
        assert KnowledgeEntry.objects.all().delete()[0] == 0


def test_an_operator_cannot_rewrite_what_was_promoted(alice: User, tenant: Tenant) -> None:
    entry = KnowledgeEntry(tenant=tenant, text="Answers are brief.", terms="", derived_from_user=alice.pk)
    entry.skip_history_when_saving = True
    with acting_as(alice.pk):
        entry.save(force_insert=True)
    with in_role(OPERATOR_ROLE):
        assert KnowledgeEntry.objects.filter(pk=entry.pk).exists()
        assert KnowledgeEntry.objects.filter(pk=entry.pk).update(text="Answers are long.") == 0


def test_names_of_assets_are_everybodys_or_an_organisations_own(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant
) -> None:
    with in_role(OPERATOR_ROLE):
        AssetAlias.objects.all().delete()
        AssetAlias.objects.create(canonical="600519.SH", alias="Moutai")
        AssetAlias.objects.create(canonical="600519.SH", alias="the liquor house", tenant=tenant)

    def names(user: User) -> set[str]:
        with acting_as(user.pk):
            return set(AssetAlias.objects.values_list("alias", flat=True))

    assert names(alice) == {"Moutai", "the liquor house"}
    assert names(charlie) == {"Moutai"}
