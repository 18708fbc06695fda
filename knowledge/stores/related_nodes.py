"""Asks the knowledge graph which nodes a question's nodes are related to, beside the searches for entries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings

from knowledge.configuration import configured_graph
from knowledge.graph_statements import NAMED_NODES, THESE_NODES
from knowledge.search_terms import query_terms
from knowledge.stores.store_calls import GRAPH_FAILURES, StoreCall
from knowledge.types import GraphResult, Org

REQUIRES: Final = "requires"


@dataclass
class RelatedNodes:
    """The nodes that bear on a question, each with the relation that led to it, "" for one that is named itself.

    ``reason`` says why some are missing; ``was_asked`` is whether the graph answered.
    """

    relations: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    was_asked: bool = False

    def add(self, found: GraphResult) -> None:
        """Take in the rows of ``NAMED_NODES`` or ``THESE_NODES``: what constrains comes before what goes along."""
        rows = sorted(found.rows, key=lambda row: _ORDER.get(row["kind"], len(_ORDER)))
        for row in found.rows:
            self.relations.setdefault(row["node"], "")
        for row in rows:
            if row["whole"] != row["node"]:
                self.relations.setdefault(row["whole"], f"{row['node']} part_of {row['whole']}")
            if row["kind"] and not _leads_back(row):
                self.relations.setdefault(row["related"], f"{row['whole']} {row['kind']} {row['related']}")


_COLUMNS: Final = frozenset({"node", "whole", "kind", "source", "related"})
_ORDER: Final = {"excludes": 0, REQUIRES: 1, "pairs_with": 2}


def _leads_back(row: Mapping[str, Any]) -> bool:
    """Whether the relation says nothing of this node: that another requires it."""
    return bool(row["kind"] == REQUIRES and row["source"] != row["whole"])


class GraphConsultation:
    """What the graph is asked about one question: first by the nodes it names, then by those of the entries found."""

    def __init__(self, text: str, org: Org) -> None:
        self._org = org
        self._is_there = "graph" in configured_graph().capabilities()
        self._named = self._begin(NAMED_NODES, {"terms": list(query_terms(text))}) if self._is_there else None

    def result(self, found_nodes: Collection[str]) -> RelatedNodes:
        """The related nodes. A graph that failed or was late is not asked a second time."""
        related = RelatedNodes()
        if self._named is None:
            return related
        self._take(self._named, related)
        others = sorted({node for node in found_nodes if node} - related.relations.keys())
        if others and not related.reason:
            self._take(self._begin(THESE_NODES, {"nodes": others}), related)
        return related

    def _begin(self, statement: str, params: Mapping[str, Any]) -> StoreCall[GraphResult]:
        graph, org = configured_graph(), self._org
        return StoreCall(
            lambda: graph.query(statement, params, org),
            GRAPH_FAILURES,
            settings.KNOWLEDGE_GRAPH_TIMEOUT_MS,
            in_thread="own_transaction" not in graph.capabilities(),
        )

    def _take(self, asked: StoreCall[GraphResult], related: RelatedNodes) -> None:
        found, reason = asked.result()
        if found is None or not all(row.keys() >= _COLUMNS for row in found.rows):
            related.reason = reason or GRAPH_FAILURES.unavailable.code
            return
        related.was_asked = True
        related.add(found)
