"""A knowledge store that is not there is told at start. Needs no database."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from knowledge.checks import the_knowledge_stores_are_there

EMPTY = "knowledge.stores.empty_store."


@pytest.mark.parametrize("path", ["no.such.Store", f"{EMPTY}NoSuchStore", "nothing"])
@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("KNOWLEDGE_STORE", "knowledge.E001"),
        ("KNOWLEDGE_VECTOR_STORE", "knowledge.E002"),
        ("KNOWLEDGE_GRAPH", "knowledge.E003"),
    ],
)
def test_a_store_that_cannot_be_imported_is_refused(settings: Settings, setting: str, error: str, path: str) -> None:
    setattr(settings, setting, path)
    assert [found.id for found in the_knowledge_stores_are_there()] == [error]


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ("KNOWLEDGE_STORE", "knowledge.stores.postgres.PostgresStore"),
        ("KNOWLEDGE_STORE", f"{EMPTY}EmptyStore"),
        ("KNOWLEDGE_VECTOR_STORE", "knowledge.stores.postgres_vectors.PostgresVectorStore"),
        ("KNOWLEDGE_VECTOR_STORE", "knowledge.stores.qdrant_vectors.QdrantVectorStore"),
        ("KNOWLEDGE_VECTOR_STORE", f"{EMPTY}EmptyVectorStore"),
        ("KNOWLEDGE_GRAPH", "knowledge.stores.embedded_graph.EmbeddedGraph"),
        ("KNOWLEDGE_GRAPH", "knowledge.stores.neo4j_graph.Neo4jGraph"),
        ("KNOWLEDGE_GRAPH", f"{EMPTY}EmptyGraph"),
    ],
)
def test_those_that_come_along_are_there(settings: Settings, setting: str, path: str) -> None:
    setattr(settings, setting, path)
    assert the_knowledge_stores_are_there() == []
