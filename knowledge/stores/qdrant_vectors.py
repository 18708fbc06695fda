"""The vectors of knowledge entries in Qdrant: a server by ``QDRANT_URL``, or its local mode by ``QDRANT_PATH``.

A point holds what a search is limited by and the entry's vector, never its words, and none that was made from a
member's memory: such entries are found by their words, in PostgreSQL, so that no erasure has to look here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.conf import settings

from foundation.qdrant import (
    QdrantUnavailable,
    collection_name,
    collections_of,
    drop_collection,
    ensure_collection,
    qdrant,
    scroll,
)
from knowledge.exceptions import KnowledgeVectorsTimedOut, KnowledgeVectorsUnavailable
from knowledge.types import Capability, EntryVector, QueryVector, VectorFilter, VectorHit

if TYPE_CHECKING:
    from qdrant_client.models import Filter

CONTENT: Final = "knowledge"
ENTERPRISE: Final = "enterprise"
"""The ``source_type`` of organisations' knowledge, which no member's memory has."""
EVERYWHERE: Final = "*"
"""The tier, role or platform of an entry that holds for all of them."""
_FOREVER: Final = 1e12
_PAGE: Final = 1_000


class QdrantVectorStore:
    """Searches, and is told of, the points of organisations' entries; each search is limited to one organisation."""

    name = "qdrant"

    def search(self, query_vector: QueryVector, where: VectorFilter, top_k: int) -> Sequence[VectorHit]:
        """As ``VectorStorePort.search``. A collection that was never written is a failure, not an empty answer."""
        name = collection_name(CONTENT, query_vector.model_id, len(query_vector.values))
        with _named_failures(), qdrant(settings.KNOWLEDGE_VECTOR_TIMEOUT_MS / 1000) as client:
            found = client.query_points(
                name,
                query=query_vector.values.tolist(),
                query_filter=_filter(where),
                limit=top_k,
                with_payload=["graph_node_id"],
            )
        return [VectorHit(UUID(str(point.id)), point.score, _node_of(point.payload)) for point in found.points]

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"vectors", "projection"})

    def prepare(self, model_id: str, dimensions: int) -> None:
        """Make the collection of a model's vectors, unless it is there."""
        name = collection_name(CONTENT, model_id, dimensions)
        ensure_collection(name, dimensions, owner_field="tenant_id", other_fields=("org_tiers", "source_type"))

    def put(self, entries: Sequence[EntryVector]) -> None:
        """Write the points of entries of one model in place of any older ones."""
        from qdrant_client.models import PointStruct

        if not entries:
            return
        model_id, dimensions = entries[0].model_id, len(entries[0].vector)
        self.prepare(model_id, dimensions)
        points = [
            PointStruct(id=str(entry.id), vector=list(entry.vector), payload=_payload(entry)) for entry in entries
        ]
        with qdrant() as client:
            client.upsert(collection_name(CONTENT, model_id, dimensions), points=points, wait=True)

    def remove(self, keys: Collection[UUID]) -> None:
        """Remove the points of these entries, by whatever model they were embedded."""
        from qdrant_client.models import PointIdsList

        for name in collections_of(CONTENT) if keys else ():
            with qdrant() as client:
                client.delete(name, points_selector=PointIdsList(points=[str(key) for key in keys]), wait=True)

    def versions(self, tenant_id: UUID, model_id: str, dimensions: int) -> Mapping[UUID, int]:
        """The version of each of the organisation's entries that has a point, by its id."""
        return dict(self._points_of(tenant_id, collection_name(CONTENT, model_id, dimensions)))

    def clear(self) -> None:
        """Drop every point of organisations' knowledge."""
        for name in collections_of(CONTENT):
            drop_collection(name)

    def _points_of(self, tenant_id: UUID, name: str) -> Iterator[tuple[UUID, int]]:
        from qdrant_client.models import FieldCondition, Filter, MatchValue

        own = Filter(must=[FieldCondition(key="tenant_id", match=MatchValue(value=str(tenant_id)))])
        for found in scroll(name, _PAGE, where=own, payload=["version"]):
            yield from ((UUID(str(point.id)), int((point.payload or {})["version"])) for point in found)


@contextmanager
def _named_failures() -> Iterator[None]:
    try:
        yield
    except QdrantUnavailable as error:
        timed_out = error.details.get("reason") == "timeout"
        raise (KnowledgeVectorsTimedOut if timed_out else KnowledgeVectorsUnavailable)() from error


def _filter(where: VectorFilter) -> Filter:
    from qdrant_client.models import FieldCondition, Filter, MatchAny, MatchValue, Range

    at, platform = where.at.timestamp(), where.org.platform
    platforms = [FieldCondition(key="platforms", match=MatchAny(any=[EVERYWHERE, platform]))] if platform else []
    return Filter(
        must=[
            FieldCondition(key="tenant_id", match=MatchValue(value=str(where.org.tenant_id))),
            FieldCondition(key="source_type", match=MatchValue(value=ENTERPRISE)),
            FieldCondition(key="org_tiers", match=MatchAny(any=[EVERYWHERE, where.org.tier])),
            FieldCondition(key="roles", match=MatchAny(any=[EVERYWHERE, where.org.role])),
            *platforms,
            FieldCondition(key="valid_from", range=Range(lte=at)),
            FieldCondition(key="valid_to", range=Range(gt=at)),
        ]
    )


def _payload(entry: EntryVector) -> dict[str, Any]:
    return {
        "source_type": ENTERPRISE,
        "tenant_id": str(entry.tenant_id),
        "org_tiers": list(entry.org_tiers) or [EVERYWHERE],
        "roles": list(entry.roles) or [EVERYWHERE],
        "platforms": list(entry.platforms) or [EVERYWHERE],
        "valid_from": entry.valid_from.timestamp(),
        "valid_to": entry.valid_to.timestamp() if entry.valid_to else _FOREVER,
        "graph_node_id": entry.graph_node_id,
        "version": entry.version,
        "embedding_model_id": entry.model_id,
    }


def _node_of(payload: Mapping[str, Any] | None) -> str:
    return str((payload or {}).get("graph_node_id", ""))
