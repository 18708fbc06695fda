"""The interfaces of stores that hold an organisation's knowledge.

``KnowledgePort`` is what a turn asks. Behind it, ``VectorStorePort`` finds entries by meaning and
``KnowledgeGraphPort`` what is related to them. No adapter of any of them reads a user's memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from knowledge.types import (
    Capability,
    EntryVector,
    GraphResult,
    GraphRows,
    KnowledgeBundle,
    KnowledgeQuestion,
    Org,
    QueryVector,
    VectorFilter,
    VectorHit,
)


class KnowledgePort(Protocol):
    """A store of an organisation's knowledge. Answers can be made without it."""

    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        """The rules and tones that always hold for the organisation, and the facts that match the question.

        Raises ``KnowledgeUnavailable`` when the store fails, ``KnowledgeTimedOut`` when it takes too long.
        """

    def capabilities(self) -> frozenset[Capability]:
        """What the store can do; empty for one that is never searched."""


class VectorStorePort(Protocol):
    """A store that finds an organisation's entries by the vectors of their texts."""

    name: str
    """As a receipt names it."""

    def search(self, query_vector: QueryVector, where: VectorFilter, top_k: int) -> Sequence[VectorHit]:
        """The ``top_k`` entries nearest to the vector, the nearest first, embedded by the same model.

        Raises ``KnowledgeVectorsUnavailable`` when the store fails, ``KnowledgeVectorsTimedOut`` when it takes longer
        than ``KNOWLEDGE_VECTOR_TIMEOUT_MS``.
        """

    def capabilities(self) -> frozenset[Capability]:
        """What the store can do; without ``vectors`` it is never searched."""


class VectorProjection(Protocol):
    """A vector store outside PostgreSQL, with what writes to it. Raises ``ProviderFailure`` where it does not answer,
    so that a job waits.
    """

    def prepare(self, model_id: str, dimensions: int) -> None:
        """Make room for vectors of this model, unless there is."""

    def put(self, entries: Sequence[EntryVector]) -> None:
        """Write entries of one model, in place of older versions of them."""

    def remove(self, keys: Collection[UUID]) -> None:
        """Remove entries; those that are not there are no error."""

    def versions(self, tenant_id: UUID, model_id: str, dimensions: int) -> Mapping[UUID, int]:
        """The versions of an organisation's entries that are there, by their ids."""

    def clear(self) -> None:
        """Remove everything of organisations' knowledge."""


class KnowledgeGraphPort(Protocol):
    """A graph of what an organisation's entries are about."""

    name: str
    """As a receipt names it."""

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        """The rows of a reading openCypher statement, which sees this organisation's nodes alone.

        Statements are constants of this program; whatever a user said stands in ``params``. Raises
        ``KnowledgeGraphUnavailable`` when the graph fails, ``KnowledgeGraphTimedOut`` when it takes longer than
        ``KNOWLEDGE_GRAPH_TIMEOUT_MS``.
        """

    def capabilities(self) -> frozenset[Capability]:
        """What the graph can do; without ``graph`` it is never asked."""


class GraphProjection(Protocol):
    """A knowledge graph outside PostgreSQL, with what writes to it."""

    def replace(self, tenant_id: UUID, rows: GraphRows) -> None:
        """Write an organisation's graph in place of the one that is there. Raises as ``KnowledgeGraphPort.query``."""
