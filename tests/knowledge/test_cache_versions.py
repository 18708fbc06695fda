"""One version of an organisation's knowledge, for a tier, role and platform: whatever changes what holds changes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.cache_versions import cache_version
from knowledge.entry_changes import change_entry, create_entry, undo_change, withdraw_entry
from knowledge.importing.services import import_for
from knowledge.member_access import org_of
from knowledge.models import KnowledgeEntry, KnowledgeRelation
from knowledge.promoted_entries import PromotedText, add_promoted, remove_promoted
from knowledge.services import remove_relation, save_relation
from tests.knowledge.stores.graph_contract import relate
from tests.support.cast import allow
from tests.support.organisation import know


@pytest.fixture
def owner(alice: User, tenant: Tenant) -> User:
    alice.role = User.Role.OWNER
    alice.save(update_fields=["role"])
    return alice


def _version(user: User, platform: str = "web") -> str:
    org = org_of(user, platform)
    assert org is not None
    with acting_as(user.pk):
        return cache_version(org)


def test_nothing_known_has_no_version(owner: User, charlie: User, other_tenant: Tenant) -> None:
    know(other_tenant, "We never open.")
    assert _version(owner) == ""


def test_every_way_of_writing_changes_it(owner: User, bob: User, tenant: Tenant) -> None:
    """Each step stands for a writer: the API, an import, an operator, a promotion and its withdrawal."""
    permit = allow(bob)
    seen = [_version(owner)]

    def step(user: User, write: Callable[[], object]) -> None:
        with acting_as(user.pk):
            write()
        seen.append(_version(owner))

    step(owner, lambda: create_entry(owner, {"text": "We open at nine."}))
    entry = _only_entry()
    step(owner, lambda: change_entry(owner, entry.pk, 1, {"text": "We open at eight."}))
    step(owner, lambda: withdraw_entry(owner, entry.pk, 2))
    step(owner, lambda: undo_change(owner, entry.pk, 3))
    step(owner, lambda: import_for(owner, b"text\nRefunds take five days.\n", "csv", dry_run=False))
    know(tenant, "Answers are brief.", kind="tone")
    seen.append(_version(owner))
    step(bob, lambda: add_promoted(permit, bob, PromotedText("The desk opens early.")))
    with in_role(OPERATOR_ROLE):
        promoted = KnowledgeEntry.objects.get(derived_from_user=bob.pk)
    step(bob, lambda: remove_promoted(bob.pk, promoted.pk))

    assert all(before != after for before, after in pairwise(seen))
    with acting_as(owner.pk):
        import_for(owner, b"text\nThe canteen serves noodles.\n", "csv", dry_run=True)
    assert _version(owner) == seen[-1]


def _only_entry() -> KnowledgeEntry:
    with in_role(OPERATOR_ROLE):
        return KnowledgeEntry.objects.get()


def test_what_is_meant_for_others_leaves_it_as_it_is(owner: User, tenant: Tenant) -> None:
    know(tenant, "We open at nine.")
    before = _version(owner)
    know(tenant, "Headquarters close at six.", org_tiers=["brand_hq"])
    know(tenant, "Viewers hear one advice.", kind="role_rule", roles=["viewer"])
    know(tenant, "Stay under 60 words.", kind="platform_tone", platforms=["openai"])
    assert _version(owner) == before
    assert _version(owner, "openai") != before


def test_an_edit_that_began_earlier_and_commits_later_is_seen(owner: User, tenant: Tenant) -> None:
    first, second = know(tenant, "We open at nine."), know(tenant, "Refunds take five days.")
    before = _version(owner)
    with in_role(OPERATOR_ROLE):
        earlier = second.updated_at - timedelta(seconds=1)
        KnowledgeEntry.objects.filter(pk=first.pk).update(text="We open at eight.", version=2, updated_at=earlier)
    assert _version(owner) != before


def test_an_entry_that_begins_or_ends_by_itself_changes_it(
    owner: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    know(tenant, "We open at nine.", valid_to=now + timedelta(hours=1))
    know(tenant, "We open at eight.", valid_from=now + timedelta(hours=1))
    versions = [_version(owner)]
    monkeypatch.setattr("knowledge.cache_versions.timezone.now", lambda: now + timedelta(hours=2))
    versions.append(_version(owner))
    assert versions[0] != versions[1]


def test_a_relation_that_is_written_changed_or_removed_changes_it(
    owner: User, tenant: Tenant, other_tenant: Tenant
) -> None:
    know(tenant, "The linen jacket is made in Como.", graph_node_id="linen-jacket")
    seen = [_version(owner)]
    relation = relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    seen.append(_version(owner))
    relate(other_tenant, "linen-jacket", "excludes", "top-hat")
    assert _version(owner) == seen[-1]

    with in_role(OPERATOR_ROLE):
        relation.kind = KnowledgeRelation.Kind.EXCLUDES
        save_relation(relation)
    seen.append(_version(owner))
    with in_role(OPERATOR_ROLE):
        remove_relation(relation)
    seen.append(_version(owner))
    assert (len({*seen}), seen[0]) == (3, seen[-1])


def test_a_relation_that_was_written_earlier_and_commits_later_changes_it(owner: User, tenant: Tenant) -> None:
    know(tenant, "The linen jacket is made in Como.", graph_node_id="linen-jacket")
    first, second = (relate(tenant, "linen-jacket", "excludes", other) for other in ("shorts", "top-hat"))
    before = _version(owner)
    with in_role(OPERATOR_ROLE):
        earlier = second.updated_at - timedelta(seconds=1)
        KnowledgeRelation.objects.filter(pk=first.pk).update(kind="requires", updated_at=earlier)
    assert _version(owner) != before


def test_it_is_read_in_one_statement(owner: User, tenant: Tenant) -> None:
    know(tenant, "We open at nine.")
    org = org_of(owner)
    assert org is not None
    with acting_as(owner.pk), CaptureQueriesContext(connection) as asked:
        cache_version(org)
    assert len(asked) == 1
