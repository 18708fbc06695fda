"""The contract of knowledge graphs, kept by the embedded engine; its own failures; and what a search joins to it."""

from __future__ import annotations

import pytest
from django.db import connection
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable
from knowledge.services import org_of
from knowledge.stores import embedded_graph
from knowledge.stores.embedded_graph import EmbeddedGraph
from knowledge.stores.postgres import PostgresStore
from knowledge.types import KnowledgeBundle, KnowledgeQuestion, Org
from tests.knowledge.stores.graph_contract import *  # noqa: F403
from tests.knowledge.stores.graph_contract import ask, relate
from tests.knowledge.stores.vector_contract import Indexed
from tests.support.organisation import know

SLOW = "UNWIND range(1, 3000) AS x UNWIND range(1, 3000) AS y RETURN sum(x * y) AS total"


@pytest.fixture
def graph() -> EmbeddedGraph:
    return EmbeddedGraph()


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
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")
    ask(graph, alice, nodes=["linen-jacket"])
    ask(graph, charlie, nodes=["linen-jacket"])

    assert list(graph._graphs) == [other_tenant.pk]
    assert "wool-scarf" in ask(graph, alice, nodes=["linen-jacket"])


def _search(user: User, text: str) -> KnowledgeBundle:
    org = org_of(user)
    assert org is not None
    with acting_as(user.pk):
        return PostgresStore().search(KnowledgeQuestion(text), org)


@pytest.fixture
def _embedded(settings: Settings) -> None:
    settings.KNOWLEDGE_GRAPH = "knowledge.stores.embedded_graph.EmbeddedGraph"


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


@pytest.mark.usefixtures("_embedded")
def test_without_the_graph_the_facts_found_are_told(
    alice: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(tenant, "The linen jacket is made in Como.", graph_node_id="linen-jacket")

    def die(*args: object) -> None:
        raise RuntimeError("the engine died")

    monkeypatch.setattr(EmbeddedGraph, "query", die)
    known = _search(alice, "Where is the linen jacket made?")
    assert [snippet.text for snippet in known.snippets] == ["The linen jacket is made in Como."]
    assert known.degraded == ("knowledge_graph_unavailable",)
    assert known.stores_used == ("postgresql",)
