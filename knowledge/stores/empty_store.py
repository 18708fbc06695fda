"""Stores without knowledge, for installations that need none. They declare no capabilities, so they are never asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knowledge.types import (
    NOTHING,
    Capability,
    GraphResult,
    KnowledgeBundle,
    KnowledgeQuestion,
    Org,
    QueryVector,
    VectorFilter,
    VectorHit,
)


class EmptyStore:
    """A knowledge store that finds nothing."""

    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        return NOTHING

    def capabilities(self) -> frozenset[Capability]:
        return frozenset()


class EmptyVectorStore:
    """A vector store that finds nothing: entries are found by their words alone."""

    name = ""

    def search(self, query_vector: QueryVector, where: VectorFilter, top_k: int) -> Sequence[VectorHit]:
        return ()

    def capabilities(self) -> frozenset[Capability]:
        return frozenset()


class EmptyGraph:
    """A knowledge graph without nodes: entries come without what is related to them."""

    name = ""

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        return GraphResult()

    def capabilities(self) -> frozenset[Capability]:
        return frozenset()
