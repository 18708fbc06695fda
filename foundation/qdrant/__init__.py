"""Qdrant, an optional store of vectors beside PostgreSQL: one client, one rule of names, and errors without content."""

from foundation.qdrant.client import is_configured, is_local, load_library, qdrant
from foundation.qdrant.collections import (
    collection_name,
    collections_of,
    drop_collection,
    ensure_collection,
    has_collection,
    scroll,
)
from foundation.qdrant.exceptions import QdrantRefused, QdrantUnavailable

__all__ = [
    "QdrantRefused",
    "QdrantUnavailable",
    "collection_name",
    "collections_of",
    "drop_collection",
    "ensure_collection",
    "has_collection",
    "is_configured",
    "is_local",
    "load_library",
    "qdrant",
    "scroll",
]
