"""The points of one projection in Qdrant: every read and every removal names the owner whose points it may touch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from foundation.qdrant import collection_name, ensure_collection, has_collection, qdrant, scroll
from memory.models import Projection

if TYPE_CHECKING:
    from qdrant_client import models

CONTENT: Final = "memory"
NORMALIZER_VERSION: Final = "1"
"""The version of what is done to a text before it is embedded (``memory/indexing/documents.py``)."""
MOST_NAMED: Final = 1_000
"""How many points one request names at most."""
SOURCE_TYPE: Final = "personal_projection"
_OWNER: Final = "user_id"
_KIND: Final = "kind"
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class EntryPoint:
    """One search entry as a point: ids, names of versions and a vector, and nothing of its text."""

    id: UUID
    user_id: UUID
    tenant_id: UUID | None
    kind: str
    vector: Vector

    def payload(self, model_id: str) -> dict[str, str | None]:
        """What stands beside the vector. ``memory_item_id`` is the former name of ``memory_id``."""
        return {
            "source_type": SOURCE_TYPE,
            "tenant_id": str(self.tenant_id) if self.tenant_id else None,
            _OWNER: str(self.user_id),
            "memory_id": str(self.id),
            "memory_item_id": str(self.id),
            "embedding_model_id": model_id,
            "normalizer_version": NORMALIZER_VERSION,
            _KIND: self.kind,
        }


def collection_of(model_id: str, dimensions: int) -> str:
    """The name of the collection of memory that a model embedded."""
    return collection_name(CONTENT, model_id, dimensions)


class ProjectedPoints:
    """The points of one projection. Every method raises ``QdrantUnavailable``."""

    def __init__(self, projection: Projection) -> None:
        self.name = projection.name
        self._model_id = projection.model_id
        self._dimensions = projection.dimensions

    def are_there(self) -> bool:
        """Whether the collection exists."""
        return has_collection(self.name)

    def prepare(self) -> None:
        """Create the collection unless it exists."""
        ensure_collection(self.name, self._dimensions, owner_field=_OWNER, other_fields=(_KIND,))

    def write(self, points: Sequence[EntryPoint]) -> None:
        """Write points, or write them anew; returns when searches see them."""
        from qdrant_client import models

        structs = [
            models.PointStruct(id=str(point.id), vector=point.vector.tolist(), payload=point.payload(self._model_id))
            for point in points
        ]
        if structs:
            with qdrant() as client:
                client.upsert(self.name, structs, wait=True)

    def remove(self, user_id: UUID, keys: Collection[UUID]) -> None:
        """Remove those of the user's points."""
        for part in _parts(keys):
            self._remove(self._filter(user_id, keys=part))

    def remove_all(self, user_id: UUID) -> None:
        """Remove all of the user's points."""
        self._remove(self._filter(user_id))

    def remove_ownerless(self, keys: Collection[UUID]) -> None:
        """Remove points whose payload names no owner or a wrong one: only a comparison finds such."""
        from qdrant_client import models

        for part in _parts(keys):
            self._remove(models.Filter(must=[models.HasIdCondition(has_id=_strings(part))]))

    def count(self, user_id: UUID) -> int:
        """How many points of the user's there are."""
        with qdrant() as client:
            return client.count(self.name, self._filter(user_id), exact=True).count

    def count_named(self, keys: Collection[UUID]) -> int:
        """How many points of these ids there are, whoever's they are: an erasure looks for its rows so."""
        return len(self.payloads(keys))

    def count_everybodys(self) -> int:
        """How many points the collection holds."""
        with qdrant() as client:
            return client.count(self.name, exact=True).count

    def payloads(self, keys: Collection[UUID]) -> dict[UUID, Mapping[str, Any]]:
        """The payloads of those points among ``keys`` that exist."""
        found: dict[UUID, Mapping[str, Any]] = {}
        for part in _parts(keys):
            with qdrant() as client:
                points = client.retrieve(self.name, _strings(part), with_payload=True, with_vectors=False)
            found |= {UUID(str(point.id)): point.payload or {} for point in points}
        return found

    def pages(self, size: int) -> Iterator[dict[UUID, Mapping[str, Any]]]:
        """All points with their payloads, a page at a time."""
        for found in scroll(self.name, size):
            yield {UUID(str(point.id)): point.payload or {} for point in found}

    def nearest(
        self, user_id: UUID, kinds: Collection[str], vector: Vector, limit: int, seconds: float
    ) -> list[tuple[UUID, float]]:
        """The ids of the user's points nearest to a vector, each with its cosine, the nearest first."""
        with qdrant(seconds) as client:
            found = client.query_points(
                self.name,
                vector.tolist(),
                query_filter=self._filter(user_id, kinds=kinds),
                limit=limit,
                with_payload=False,
            )
        return [(UUID(str(point.id)), float(point.score)) for point in found.points]

    def _remove(self, which: models.Filter) -> None:
        from qdrant_client import models

        with qdrant() as client:
            client.delete(self.name, models.FilterSelector(filter=which), wait=True)

    @staticmethod
    def _filter(
        user_id: UUID, *, kinds: Collection[str] | None = None, keys: Collection[UUID] | None = None
    ) -> models.Filter:
        from qdrant_client import models

        must: list[models.Condition] = [models.FieldCondition(key=_OWNER, match=models.MatchValue(value=str(user_id)))]
        if kinds is not None:
            must.append(models.FieldCondition(key=_KIND, match=models.MatchAny(any=sorted(kinds))))
        if keys is not None:
            must.append(models.HasIdCondition(has_id=_strings(keys)))
        return models.Filter(must=must)


def _parts(keys: Collection[UUID]) -> Iterator[Sequence[UUID]]:
    """The ids of one request after another, so that none outlasts its time-out."""
    every = list(keys)
    for start in range(0, len(every), MOST_NAMED):
        yield every[start : start + MOST_NAMED]


def _strings(keys: Collection[UUID]) -> list[Any]:
    return [str(key) for key in keys]
