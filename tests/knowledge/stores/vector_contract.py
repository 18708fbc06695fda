"""What every vector store of knowledge keeps to. A test module for each adapter takes these tests in.

It says how its ``store`` is made, and how that hears of what was written: ``indexed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from django.utils import timezone

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import configured_embedder
from knowledge.member_access import org_of
from knowledge.models import KnowledgeEntry
from knowledge.ports import VectorStorePort
from knowledge.promoted_entries import PromotedText, add_promoted, remove_promoted
from knowledge.services import retire_entry, save_entry
from knowledge.types import Org, QueryVector, VectorFilter, VectorHit
from tests.support.cast import allow
from tests.support.organisation import know

Indexed = Callable[[], None]


def vector_of(text: str) -> QueryVector:
    embedder = configured_embedder()
    return QueryVector(embedder.embed_queries([text])[0], embedder.model_id)


def search(
    store: VectorStorePort, user: User, text: str, *, top_k: int = 10, org: Org | None = None
) -> Sequence[VectorHit]:
    own = org_of(user)
    assert own is not None
    with acting_as(user.pk):
        return store.search(vector_of(text), VectorFilter(org or own, timezone.now()), top_k)


def ids(hits: Sequence[VectorHit]) -> list[object]:
    return [hit.id for hit in hits]


def test_it_says_that_it_finds_by_vectors(store: VectorStorePort) -> None:
    assert "vectors" in store.capabilities()
    assert store.name


def test_an_empty_store_finds_nothing(alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed) -> None:
    indexed()
    assert ids(search(store, alice, "refund")) == []


def test_the_nearest_comes_first_with_its_cosine_and_its_node(
    alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    noodles = know(tenant, "The canteen serves noodles.")
    refunds = know(tenant, "Refunds take five working days.", graph_node_id="refund")
    indexed()
    hits = search(store, alice, "Refunds take five working days.")

    assert ids(hits) == [refunds.pk, noodles.pk]
    assert hits[0].score == pytest.approx(1.0, abs=0.01)
    assert hits[1].score < 0.9
    assert [hit.graph_node_id for hit in hits] == ["refund", ""]


def test_no_more_are_found_than_asked_for(
    alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    for number in range(4):
        know(tenant, f"Refund number {number} takes five days.")
    indexed()

    assert len(search(store, alice, "refund", top_k=3)) == 3


def test_another_organisation_is_never_found(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    theirs = know(other_tenant, "Refunds take nine days.")
    know(tenant, "Refunds take five days.")
    indexed()

    assert theirs.pk not in ids(search(store, alice, "Refunds take nine days."))
    assert ids(search(store, charlie, "Refunds take five days.")) == [theirs.pk]


def test_a_tier_finds_what_holds_there_and_everywhere(
    alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    here = know(tenant, "Stores refund in cash.", org_tiers=["franchise_store", "regional_agent"])
    everywhere = know(tenant, "Refunds take five days.")
    know(tenant, "Headquarters refund by transfer.", org_tiers=["brand_hq"])
    indexed()

    assert set(ids(search(store, alice, "refund"))) == {here.pk, everywhere.pk}


def test_a_role_and_a_platform_find_what_holds_for_them(
    alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    here = know(tenant, "Owners refund in cash.", roles=[alice.role], platforms=["web"])
    know(tenant, "Viewers refund nothing.", roles=[_other_role(alice)])
    know(tenant, "Programs refund by transfer.", platforms=["openai"])
    indexed()

    assert ids(search(store, alice, "refund", org=org_of(alice, "web"))) == [here.pk]


def _other_role(user: User) -> str:
    return next(role for role in User.Role.values if role != user.role)


def test_only_facts_in_force_are_found(alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed) -> None:
    now = timezone.now()
    day = timedelta(days=1)
    know(tenant, "Refunds took nine days.", valid_from=now - 2 * day, valid_to=now - day)
    know(tenant, "Refunds will take two days.", valid_from=now + day)
    know(tenant, "Never promise a refund.", kind="rule")
    know(tenant, "Speak kindly of refunds.", kind="tone")
    ending = know(tenant, "Refunds take five days.", valid_to=now + day)
    indexed()

    assert ids(search(store, alice, "refund")) == [ending.pk]


def test_an_edited_entry_is_found_by_what_it_says_now(
    alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    entry = know(tenant, "The canteen serves noodles.")
    indexed()
    with in_role(OPERATOR_ROLE):
        entry.text = "Refunds take five days."
        save_entry(entry)
    indexed()

    [hit] = search(store, alice, "Refunds take five days.")
    assert hit.score == pytest.approx(1.0, abs=0.01)


def test_an_ended_entry_is_not_found(alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed) -> None:
    entry = know(tenant, "Refunds take five days.")
    indexed()
    with in_role(OPERATOR_ROLE):
        retire_entry(entry)
    indexed()

    assert ids(search(store, alice, "refund")) == []


def test_what_a_member_takes_back_is_not_found(
    alice: User, bob: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        entry = add_promoted(permit, alice, PromotedText("Refunds take five days."))
    indexed()
    # A store outside PostgreSQL is never told of what was made from a member's memory.
    assert ids(search(store, bob, "refund")) == ([] if "projection" in store.capabilities() else [entry.pk])
    with acting_as(alice.pk):
        assert remove_promoted(alice.pk, entry.pk)
    indexed()

    assert ids(search(store, bob, "refund")) == []


def test_vectors_of_another_model_are_never_compared(
    alice: User, tenant: Tenant, store: VectorStorePort, indexed: Indexed
) -> None:
    entry = know(tenant, "Refunds take five days.")
    with in_role(OPERATOR_ROLE):
        KnowledgeEntry.objects.filter(pk=entry.pk).update(vector=[1.0, 0.0], model_id="another-1")
    indexed()

    assert ids(search(store, alice, "refund")) == []
