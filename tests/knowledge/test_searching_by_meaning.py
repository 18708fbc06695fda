"""The knowledge store and the vector store behind it: joined, and apart where the vector store fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import ClassVar
from uuid import UUID, uuid4

import pytest
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from knowledge.configuration import configured_store
from knowledge.member_access import org_of
from knowledge.stores.empty_store import EmptyStore, EmptyVectorStore
from knowledge.stores.postgres import FACTS, PostgresStore
from knowledge.types import (
    NOTHING,
    Capability,
    KnowledgeBundle,
    KnowledgeQuestion,
    QueryVector,
    VectorFilter,
    VectorHit,
)
from tests.support.organisation import know


class RecordedVectors:
    """An outside vector store that finds what a test says, or does what it says."""

    name = "recorded"
    found: ClassVar[list[VectorHit]] = []
    act: ClassVar[Callable[[], None]] = staticmethod(lambda: None)
    asked: ClassVar[int] = 0

    def search(self, query_vector: QueryVector, where: VectorFilter, top_k: int) -> Sequence[VectorHit]:
        type(self).asked += 1
        type(self).act()
        return self.found

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"vectors"})


@pytest.fixture
def vectors(settings: Settings) -> type[RecordedVectors]:
    """The recorded store, fresh, as the one that the settings name."""
    settings.KNOWLEDGE_VECTOR_STORE = f"{__name__}.RecordedVectors"
    RecordedVectors.found, RecordedVectors.asked = [], 0
    RecordedVectors.act = staticmethod(lambda: None)
    return RecordedVectors


def _search(user: User, text: str, store: PostgresStore | None = None, *, embedded: bool = True) -> KnowledgeBundle:
    org, embedder = org_of(user), configured_embedder()
    assert org is not None
    vector = QueryVector(embedder.embed_queries([text])[0], embedder.model_id) if embedded else None
    with acting_as(user.pk):
        return (store or PostgresStore()).search(KnowledgeQuestion(text, vector), org)


def _texts(known: KnowledgeBundle) -> list[str]:
    return [snippet.text for snippet in known.snippets]


def _hit(key: UUID, score: float = 0.9, node: str = "") -> VectorHit:
    return VectorHit(key, score, node)


def test_a_fact_is_found_without_a_shared_word(alice: User, tenant: Tenant) -> None:
    know(tenant, "The physician is available on Mondays.")
    know(tenant, "The canteen serves noodles.")
    known = _search(alice, "doctors")

    assert _texts(known) == ["The physician is available on Mondays."]
    assert known.stores_used == ("postgresql", "pgvector")
    assert _texts(_search(alice, "doctors", embedded=False)) == []


def test_what_both_searches_find_comes_first(alice: User, tenant: Tenant, vectors: type[RecordedVectors]) -> None:
    know(tenant, "Refunds, refunds, refunds.")
    both = know(tenant, "A refund takes five days.")
    meant = know(tenant, "The canteen serves noodles.")
    vectors.found = [_hit(both.pk), _hit(meant.pk, 0.8)]
    known = _search(alice, "refund")

    assert _texts(known)[0] == "A refund takes five days."
    assert set(_texts(known)[1:]) == {"Refunds, refunds, refunds.", "The canteen serves noodles."}
    assert known.snippets[0].score == 0.9


def test_no_more_facts_than_fit_are_answered(alice: User, tenant: Tenant, vectors: type[RecordedVectors]) -> None:
    for number in range(FACTS):
        know(tenant, f"Refund {number} takes five days.")
    vectors.found = [_hit(know(tenant, f"Noodles {number}.").pk) for number in range(FACTS)]

    assert len(_texts(_search(alice, "refund"))) == FACTS


def test_what_is_too_far_is_not_answered(alice: User, tenant: Tenant, vectors: type[RecordedVectors]) -> None:
    vectors.found = [_hit(know(tenant, "The canteen serves noodles.").pk, 0.1)]
    assert _texts(_search(alice, "refund")) == []


def test_whatever_an_outside_store_names_only_what_the_member_may_read_is_answered(
    alice: User, tenant: Tenant, other_tenant: Tenant, vectors: type[RecordedVectors]
) -> None:
    foreign = know(other_tenant, "We never open.")
    elsewhere = know(tenant, "Headquarters close at six.", org_tiers=["brand_hq"])
    rule = know(tenant, "Never promise a return.", kind="rule")
    vectors.found = [_hit(key) for key in (foreign.pk, elsewhere.pk, rule.pk, uuid4())]

    assert _texts(_search(alice, "opening hours")) == ["Never promise a return."]


_let_go = Event()


def _hang() -> None:
    _let_go.wait(30)


def _lose_connection() -> None:
    raise ConnectionResetError


def _refuse_credentials() -> None:
    raise PermissionError


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (_lose_connection, "knowledge_vectors_unavailable"),
        (_refuse_credentials, "knowledge_vectors_unavailable"),
        (_hang, "knowledge_vectors_timeout"),
    ],
)
def test_a_vector_store_that_fails_costs_what_it_alone_would_find(
    alice: User, tenant: Tenant, vectors: type[RecordedVectors], settings: Settings,
    act: Callable[[], None], reason: str,
) -> None:  # fmt: skip
    know(tenant, "Refunds take five days.")
    vectors.act = staticmethod(act)
    settings.KNOWLEDGE_VECTOR_TIMEOUT_MS = 50
    _let_go.clear()
    try:
        known = _search(alice, "refund")
    finally:
        _let_go.set()

    assert _texts(known) == ["Refunds take five days."]
    assert known.degraded == (reason,)
    assert known.stores_used == ("postgresql",)


def test_what_was_found_degraded_is_not_kept(alice: User, tenant: Tenant, vectors: type[RecordedVectors]) -> None:
    meant, store = know(tenant, "The canteen serves noodles."), PostgresStore()
    vectors.act = staticmethod(_lose_connection)
    assert _texts(_search(alice, "refund", store)) == []
    vectors.act = staticmethod(lambda: None)
    vectors.found = [_hit(meant.pk)]

    assert _texts(_search(alice, "refund", store)) == ["The canteen serves noodles."]
    assert _texts(_search(alice, "refund", store)) == ["The canteen serves noodles."]
    assert vectors.asked == 2


def test_the_tier_that_an_entry_is_for_comes_with_it(alice: User, tenant: Tenant) -> None:
    know(tenant, "Refunds are paid in cash.", org_tiers=["franchise_store", "regional_agent"])
    know(tenant, "Refunds take five days.")
    tiers = {snippet.text: snippet.org_tier for snippet in _search(alice, "refund").snippets}

    assert tiers == {"Refunds are paid in cash.": "regional_agent", "Refunds take five days.": ""}


def test_the_empty_store_of_vectors_is_never_asked(alice: User, tenant: Tenant, settings: Settings) -> None:
    settings.KNOWLEDGE_VECTOR_STORE = "knowledge.stores.empty_store.EmptyVectorStore"
    know(tenant, "Refunds take five days.")
    known = _search(alice, "refund")

    assert (_texts(known), known.stores_used, known.degraded) == (["Refunds take five days."], ("postgresql",), ())
    assert configured_store().capabilities() == {"full_text"}


def test_empty_stores_find_nothing(alice: User, tenant: Tenant) -> None:
    know(tenant, "Refunds take five days.")
    org = org_of(alice)
    assert org is not None
    assert EmptyStore().search(KnowledgeQuestion("refund"), org) == NOTHING
    assert EmptyVectorStore().capabilities() == frozenset()
