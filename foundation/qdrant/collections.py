"""Names, makes and drops collections: one for each kind of content and embedding model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.conf import settings

from foundation.qdrant.client import is_local, qdrant

if TYPE_CHECKING:
    from qdrant_client import models

_UNSAFE = re.compile(r"[^a-z0-9]+")


def collection_name(content: str, model_id: str, dimensions: int) -> str:
    """The name of the collection of one content ("memory", "knowledge") embedded by one model.

    It begins with ``QDRANT_PREFIX``, so that installations may share a server, and ends with a digest of the exact
    model id: ``finclaw-memory-e5-small-384-1f2e3d4c``.
    """
    readable = _UNSAFE.sub("-", model_id.lower()).strip("-")[:40]
    digest = sha256(model_id.encode()).hexdigest()[:8]
    return f"{_beginning(content)}{readable}-{dimensions}-{digest}"


def collections_of(content: str) -> list[str]:
    """The names of all collections of a content, of whatever models, sorted."""
    with qdrant() as client:
        names = [described.name for described in client.get_collections().collections]
    return sorted(name for name in names if name.startswith(_beginning(content)))


def has_collection(name: str) -> bool:
    """Whether the store has a collection of this name."""
    with qdrant() as client:
        return client.collection_exists(name)


def ensure_collection(name: str, dimensions: int, *, owner_field: str, other_fields: Sequence[str] = ()) -> bool:
    """Create a collection of unit vectors unless it exists; returns whether it did.

    ``owner_field`` is what every search filters by. The server then builds a graph for each owner in place of one over
    everybody's points, which would be slower under that filter and lose points. Likeness is the dot product: of unit
    vectors the same as the cosine, and vectors stay as they were given.
    """
    from qdrant_client import models

    with qdrant() as client:
        if client.collection_exists(name):
            return False
        client.create_collection(
            name,
            vectors_config=models.VectorParams(size=dimensions, distance=models.Distance.DOT),
            hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
        )
        if is_local():  # knows no indexes
            return True
        owner = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        client.create_payload_index(name, owner_field, owner)
        for field in other_fields:
            client.create_payload_index(name, field, models.PayloadSchemaType.KEYWORD)
    return True


def drop_collection(name: str) -> None:
    """Drop a collection and all its points; nothing happens if there is none."""
    with qdrant() as client:
        client.delete_collection(name)


def scroll(
    name: str, size: int, *, where: models.Filter | None = None, payload: bool | list[str] = True
) -> Iterator[list[models.Record]]:
    """A collection's points without vectors, or those that ``where`` lets through: a page at a time, a request each."""
    place: Any = None
    while True:
        with qdrant() as client:
            found, place = client.scroll(
                name, scroll_filter=where, limit=size, offset=place, with_payload=payload, with_vectors=False
            )
        yield found
        if place is None:
            return


def _beginning(content: str) -> str:
    return f"{settings.QDRANT_PREFIX}-{content}-"
