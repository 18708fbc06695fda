"""What every knowledge graph keeps to. A test module for each adapter takes these tests in.

It says how its ``graph`` is made, and how that hears of what was written: ``indexed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.graph_statements import NAMED_NODES, THESE_NODES
from knowledge.member_access import org_of
from knowledge.models import KnowledgeRelation
from knowledge.ports import KnowledgeGraphPort
from knowledge.search_terms import query_terms
from knowledge.services import remove_relation, save_relation
from knowledge.stores.related_nodes import RelatedNodes
from knowledge.types import GraphResult, Org
from tests.knowledge.stores.vector_contract import Indexed

Related = Callable[[Tenant, str, str, str], KnowledgeRelation]


def relate(tenant: Tenant, from_node: str, kind: str, to_node: str) -> KnowledgeRelation:
    with in_role(OPERATOR_ROLE):
        return save_relation(KnowledgeRelation(tenant=tenant, from_node=from_node, kind=kind, to_node=to_node))


def ask(
    graph: KnowledgeGraphPort, user: User, text: str = "", *, nodes: Sequence[str] = (), org: Org | None = None
) -> dict[str, str]:
    """The related nodes of a question, or of these nodes, each with the relation that leads to it."""
    own = org or org_of(user)
    assert own is not None
    with acting_as(user.pk):
        if nodes:
            found = graph.query(THESE_NODES, {"nodes": list(nodes)}, own)
        else:
            found = graph.query(NAMED_NODES, {"terms": list(query_terms(text))}, own)
    related = RelatedNodes()
    related.add(found)
    return related.relations


def test_it_says_that_it_is_a_graph(graph: KnowledgeGraphPort) -> None:
    assert "graph" in graph.capabilities()
    assert graph.name


def test_an_empty_graph_finds_nothing(alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed) -> None:
    indexed()
    assert ask(graph, alice, "What goes with a linen jacket?") == {}


def test_what_goes_with_a_node_that_the_question_names_is_found_from_both_ends(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(tenant, "rain-coat", "pairs_with", "umbrella")
    indexed()

    assert ask(graph, alice, "What goes with linen jackets?") == {
        "linen-jacket": "", "wool-scarf": "linen-jacket pairs_with wool-scarf",
    }  # fmt: skip
    assert ask(graph, alice, "Is the wool scarf warm?")["linen-jacket"] == "wool-scarf pairs_with linen-jacket"


def test_a_node_is_named_by_all_its_words_in_any_language(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(tenant, "亚麻夹克", "pairs_with", "羊毛围巾")
    indexed()

    assert ask(graph, alice, "Is linen warm?") == {}
    assert ask(graph, alice, "亚麻夹克配什么？") == {"亚麻夹克": "", "羊毛围巾": "亚麻夹克 pairs_with 羊毛围巾"}


def test_what_holds_for_the_whole_holds_for_its_parts(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(tenant, "linen-jacket", "part_of", "jackets")
    relate(tenant, "jackets", "part_of", "summer-collection")
    relate(tenant, "jackets", "excludes", "shorts")
    relate(tenant, "summer-collection", "requires", "care-label")
    indexed()

    assert ask(graph, alice, nodes=["linen-jacket"]) == {
        "linen-jacket": "",
        "jackets": "linen-jacket part_of jackets",
        "summer-collection": "linen-jacket part_of summer-collection",
        "shorts": "jackets excludes shorts",
        "care-label": "summer-collection requires care-label",
    }
    assert ask(graph, alice, nodes=["care-label"]) == {"care-label": ""}


def test_a_constraint_is_told_before_what_goes_along(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    relate(tenant, "linen-jacket", "requires", "dry-cleaning")
    relate(tenant, "linen-jacket", "excludes", "wool-scarf")
    indexed()

    related = ask(graph, alice, nodes=["linen-jacket"])
    assert list(related) == ["linen-jacket", "wool-scarf", "dry-cleaning"]
    assert related["wool-scarf"] == "linen-jacket excludes wool-scarf"


def test_nodes_that_are_part_of_each_other_end_the_walk(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(tenant, "hen", "part_of", "egg")
    relate(tenant, "egg", "part_of", "hen")
    indexed()

    assert ask(graph, alice, nodes=["hen"]) == {"hen": "", "egg": "hen part_of egg"}


def test_another_organisation_is_never_found(
    alice: User, charlie: User, tenant: Tenant, other_tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(other_tenant, "linen-jacket", "pairs_with", "top-hat")
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    indexed()

    assert "top-hat" not in ask(graph, alice, nodes=["linen-jacket", "top-hat"])
    assert ask(graph, charlie, nodes=["linen-jacket"])["top-hat"] == "linen-jacket pairs_with top-hat"


def test_a_relation_that_is_changed_or_removed_is_answered_as_it_is_now(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    kept = relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    gone = relate(tenant, "linen-jacket", "excludes", "shorts")
    indexed()
    assert set(ask(graph, alice, nodes=["linen-jacket"])) == {"linen-jacket", "wool-scarf", "shorts"}
    with in_role(OPERATOR_ROLE):
        kept.to_node = "silk-scarf"
        save_relation(kept)
        remove_relation(gone)
    indexed()

    assert set(ask(graph, alice, nodes=["linen-jacket"])) == {"linen-jacket", "silk-scarf"}


def test_what_a_user_says_is_a_value_and_never_a_statement(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed
) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    indexed()
    hostile = "x'] MATCH (n) DETACH DELETE n //"

    assert ask(graph, alice, nodes=[hostile]) == {}
    assert "wool-scarf" in ask(graph, alice, nodes=["linen-jacket"])


@pytest.mark.parametrize(
    "cypher", ["CREATE (:Node {id: 'x'})", "MATCH (n) detach delete n", "MATCH (n) SET n.id = 'x'"]
)
def test_a_statement_that_writes_is_refused(
    alice: User, tenant: Tenant, graph: KnowledgeGraphPort, cypher: str
) -> None:
    with pytest.raises(ValueError, match="only read"):
        graph.query(cypher, {}, Org(tenant.pk, tenant.org_tier))


def test_rows_are_named(alice: User, tenant: Tenant, graph: KnowledgeGraphPort, indexed: Indexed) -> None:
    relate(tenant, "linen-jacket", "pairs_with", "wool-scarf")
    indexed()
    with acting_as(alice.pk):
        found = graph.query(THESE_NODES, {"nodes": ["linen-jacket"]}, Org(tenant.pk, tenant.org_tier))

    expected = {"node": "linen-jacket", "whole": "linen-jacket", "kind": "pairs_with", "source": "linen-jacket"}
    assert found == GraphResult((expected | {"related": "wool-scarf"},))
