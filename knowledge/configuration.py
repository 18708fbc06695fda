"""Loads the knowledge stores that the settings name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from django.conf import settings
from django.utils.module_loading import import_string

from knowledge.ports import GraphProjection, KnowledgeGraphPort, KnowledgePort, VectorProjection, VectorStorePort


def configured_store() -> KnowledgePort:
    """The store of ``KNOWLEDGE_STORE``, one instance in a process."""
    store: KnowledgePort = _load_store(settings.KNOWLEDGE_STORE)
    return store


def configured_vectors() -> VectorStorePort:
    """The vector store of ``KNOWLEDGE_VECTOR_STORE``, one instance in a process."""
    vectors: VectorStorePort = _load_store(settings.KNOWLEDGE_VECTOR_STORE)
    return vectors


def configured_graph() -> KnowledgeGraphPort:
    """The graph of ``KNOWLEDGE_GRAPH``, one instance in a process."""
    graph: KnowledgeGraphPort = _load_store(settings.KNOWLEDGE_GRAPH)
    return graph


def configured_graph_projection() -> GraphProjection | None:
    """The configured graph, where relations are written to it; None where it reads them from PostgreSQL itself."""
    graph = configured_graph()
    return cast("GraphProjection", graph) if "projection" in graph.capabilities() else None


def configured_projection() -> VectorProjection | None:
    """The configured vector store, where entries are written to it; None where PostgreSQL itself is searched."""
    vectors = configured_vectors()
    return cast("VectorProjection", vectors) if "projection" in vectors.capabilities() else None


@lru_cache(maxsize=8)
def _load_store(path: str) -> Any:
    return import_string(path)()
