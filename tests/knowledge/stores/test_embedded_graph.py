"""The contract of knowledge graphs, kept by the embedded engine; its own failures; and what a search joins to it."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable
from knowledge.member_access import org_of
from knowledge.models import KnowledgeRelation
from knowledge.services import remove_relation, save_relation
from knowledge.stores import embedded_graph
from knowledge.stores.embedded_graph import EmbeddedGraph
from knowledge.stores.postgres import PostgresStore
from knowledge.types import GraphResult, KnowledgeBundle, KnowledgeQuestion, Org
from tests.knowledge.stores.graph_contract import *  # noqa: F403
from tests.knowledge.stores.graph_contract import ask, relate
from tests.knowledge.stores.vector_contract import Indexed
from tests.support.organisation import know
from tests.support.waiting import wait_for

JACKET = "Where is the linen jacket made?"
SLOW = "UNWIND range(1, 3000) AS x UNWIND range(1, 3000) AS y RETURN sum(x * y) AS total"


class BuiltGraph(EmbeddedGraph):
    """Asks again once the graph is built, as the next question would."""

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        try:
            return super().query(cypher, params, org_context)
        except KnowledgeGraphTimedOut:
            wait_for(lambda: not self._building)
            return super().query(cypher, params, org_context)


@pytest.fixture
def graph() -> EmbeddedGraph:
    return BuiltGraph()


@pytest.fixture
def indexed() -> Indexed:
    return lambda: None


def test_row_level_security_holds_where_another_organisation_is_named(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant, graph: EmbeddedGraph
) -> None:
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")
    assert ask(graph, alice, nodes=["linen-jacket"], org=org_of(charlie)) == {}


def test_a_statement_that_takes_too_long_is_interrupted(
    alice: User, tenant: Tenant, graph: EmbeddedGraph, settings: Settings
) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    org = Org(tenant.pk, tenant.org_tier)
    assert ask(graph, alice, nodes=["linen-jacket"])
    settings.KNOWLEDGE_GRAPH_TIMEOUT_MS = 20
    with acting_as(alice.pk):
        with pytest.raises(KnowledgeGraphTimedOut):
            graph.query(SLOW, {}, org)
        assert connection.in_atomic_block
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")


def test_an_engine_that_died_is_unavailable_once_and_built_anew(
    alice: User, tenant: Tenant, graph: EmbeddedGraph
) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    ask(graph, alice, nodes=["linen-jacket"])
    graph._graphs[tenant.pk].close()
    with pytest.raises(KnowledgeGraphUnavailable):
        ask(graph, alice, nodes=["linen-jacket"])

    assert "wool-scarf" in ask(graph, alice, nodes=["linen-jacket"])


def test_a_process_keeps_the_graphs_that_were_asked_last(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant, graph: EmbeddedGraph,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(embedded_graph, "MOST_GRAPHS", 1)
    monkeypatch.setattr(embedded_graph, "KEPT_SECONDS", 0.0)
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")
    ask(graph, alice, nodes=["linen-jacket"])
    ask(graph, charlie, nodes=["linen-jacket"])

    assert list(graph._graphs) == [other_tenant.pk]
    assert "wool-scarf" in ask(graph, alice, nodes=["linen-jacket"])


def test_a_graph_that_was_just_built_gives_way_to_none(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant, graph: EmbeddedGraph,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(embedded_graph, "MOST_GRAPHS", 1)
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")
    ask(graph, alice, nodes=["linen-jacket"])
    with pytest.raises(KnowledgeGraphTimedOut):
        ask(graph, charlie, nodes=["linen-jacket"])

    assert list(graph._graphs) == [tenant.pk]


def test_of_too_many_relations_the_latest_are_taken(
    alice: User, tenant: Tenant, graph: EmbeddedGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_graph, "MOST_RELATIONS", 1)
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(tenant, "linen-jacket", "pairs_with", "top-hat")

    assert set(ask(graph, alice, nodes=["linen-jacket"])) == {"linen-jacket", "top-hat"}


def _search(user: User, text: str, store: PostgresStore | None = None) -> KnowledgeBundle:
    org = org_of(user)
    assert org is not None
    with acting_as(user.pk):
        return (store or PostgresStore()).search(KnowledgeQuestion(text), org)


@pytest.fixture
def _embedded(settings: Settings) -> None:
    settings.KNOWLEDGE_GRAPH = f"{__name__}.BuiltGraph"


@pytest.mark.usefixtures("_embedded")
def test_facts_about_related_nodes_follow_those_found_with_why(alice: User, tenant: Tenant) -> None:
    know(tenant, "The linen jacket is made in Como.", graph_node_id="linen-jacket")
    know(tenant, "Our scarves are knitted by hand.", graph_node_id="wool-scarf")
    know(tenant, "Umbrellas are sold out.", graph_node_id="umbrella")
    relate(tenant, "linen-jacket", "excludes", "wool-scarf")
    known = _search(alice, "Where is the linen jacket made?")

    assert [(snippet.text, snippet.relation) for snippet in known.snippets] == [
        ("The linen jacket is made in Como.", ""),
        ("Our scarves are knitted by hand.", "linen-jacket excludes wool-scarf"),
    ]
    assert known.stores_used == ("postgresql", "ladybug")


@pytest.mark.usefixtures("_embedded")
def test_a_change_of_a_relation_is_told_to_the_same_question_at_once(alice: User, tenant: Tenant) -> None:
    know(tenant, "The linen jacket is made in Como.", graph_node_id="linen-jacket")
    know(tenant, "Our scarves are knitted by hand.", graph_node_id="wool-scarf")
    relation = relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    store = PostgresStore()
    assert [snippet.relation for snippet in _search(alice, JACKET, store).snippets] == [
        "", "linen-jacket pairs_with wool-scarf",
    ]  # fmt: skip
    with in_role(OPERATOR_ROLE):
        relation.kind = KnowledgeRelation.Kind.EXCLUDES
        save_relation(relation)
    assert _search(alice, JACKET, store).snippets[1].relation == "linen-jacket excludes wool-scarf"
    with in_role(OPERATOR_ROLE):
        remove_relation(relation)
    assert [snippet.text for snippet in _search(alice, JACKET, store).snippets] == ["The linen jacket is made in Como."]


@pytest.mark.usefixtures("_embedded")
def test_the_node_of_a_fact_found_by_its_words_leads_on(alice: User, tenant: Tenant) -> None:
    know(tenant, "Item 4711 is made in Como.", graph_node_id="linen-jacket")
    know(tenant, "Our scarves are knitted by hand.", graph_node_id="wool-scarf")
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")

    texts = [snippet.text for snippet in _search(alice, "Tell me of 4711").snippets]
    assert texts == ["Item 4711 is made in Como.", "Our scarves are knitted by hand."]


@pytest.mark.usefixtures("_embedded")
def test_what_is_related_is_told_to_the_tier_it_is_for(alice: User, tenant: Tenant) -> None:
    know(tenant, "Our scarves are knitted by hand.", graph_node_id="wool-scarf", org_tiers=["brand_hq"])
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")

    assert _search(alice, "What goes with the linen jacket?").snippets == ()


def test_no_question_waits_for_a_graph_to_be_built(
    alice: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go, built, build = Event(), list[object](), embedded_graph._built_graph

    def built_slowly(*given: Any) -> Any:
        built.append(given)
        assert let_go.wait(60)
        return build(*given)

    monkeypatch.setattr(embedded_graph, "_built_graph", built_slowly)
    graph = EmbeddedGraph()
    monkeypatch.setattr("knowledge.stores.related_nodes.configured_graph", lambda: graph)
    know(tenant, "Never promise a return.", kind="rule")
    know(tenant, "Our scarves are knitted by hand.", graph_node_id="wool-scarf")
    relate(tenant, "linen-jacket", "excludes", "wool-scarf")
    try:
        told = [_search(alice, JACKET) for _ in range(2)]
    finally:
        let_go.set()
    for known in told:
        assert [snippet.text for snippet in known.snippets] == ["Never promise a return."]
        assert known.degraded == ("knowledge_graph_timeout",)
    wait_for(lambda: not graph._building)
    assert len(built) == 1
    assert "Our scarves are knitted by hand." in [snippet.text for snippet in _search(alice, JACKET).snippets]


@pytest.mark.usefixtures("_embedded")
def test_without_the_graph_the_facts_found_are_told(
    alice: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(tenant, "The linen jacket is made in Como.", graph_node_id="linen-jacket")

    def die(*args: object) -> None:
        raise RuntimeError("the engine died")

    monkeypatch.setattr(BuiltGraph, "query", die)
    known = _search(alice, "Where is the linen jacket made?")
    assert [snippet.text for snippet in known.snippets] == ["The linen jacket is made in Como."]
    assert known.degraded == ("knowledge_graph_unavailable",)
    assert known.stores_used == ("postgresql",)
