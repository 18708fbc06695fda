"""A knowledge graph in Neo4j, by its official driver. UNPROVEN: no server could be had to run the contract against.

Every organisation's nodes carry its ``tenant_id``, which every statement names. ``manage.py project_knowledge`` and the
outbox write them, from the relations in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable
from knowledge.graph_statements import require_reading
from knowledge.types import Capability, GraphResult, GraphRows, Org

if TYPE_CHECKING:
    from neo4j import Driver

_TIMED_OUT: Final = frozenset(
    {
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    }
)
_CLEAR: Final = "MATCH (n {tenant_id: $tenant_id}) DETACH DELETE n"
_WRITES: Final = (
    ("nodes", "UNWIND $rows AS row CREATE (:Node {tenant_id: row.tenant_id, id: row.id, words: row.words})"),
    ("words", "UNWIND $rows AS row CREATE (:Word {tenant_id: row.tenant_id, text: row.text})"),
    (
        "names",
        "UNWIND $rows AS row MATCH (w:Word {tenant_id: $tenant_id, text: row.word}),"
        " (n:Node {tenant_id: $tenant_id, id: row.node}) CREATE (w)-[:NAMES]->(n)",
    ),
    (
        "wholes",
        "UNWIND $rows AS row MATCH (a:Node {tenant_id: $tenant_id, id: row.source}),"
        " (b:Node {tenant_id: $tenant_id, id: row.target}) CREATE (a)-[:PART_OF]->(b)",
    ),
    (
        "edges",
        "UNWIND $rows AS row MATCH (a:Node {tenant_id: $tenant_id, id: row.source}),"
        " (b:Node {tenant_id: $tenant_id, id: row.target})"
        " CREATE (a)-[:RELATED {kind: row.kind, source: row.source}]->(b)",
    ),
)


class Neo4jGraph:
    """Asks, and writes, the graphs of organisations on the server of ``NEO4J_URL``."""

    name = "neo4j"

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        """As ``KnowledgeGraphPort.query``; the server is told that the statement reads."""
        require_reading(cypher)
        with _named_failures():
            from neo4j import Query, RoutingControl

            seconds = settings.KNOWLEDGE_GRAPH_TIMEOUT_MS / 1000
            found = _driver().execute_query(
                Query(cypher, timeout=seconds),
                {**params, "tenant_id": str(org_context.tenant_id)},
                routing_=RoutingControl.READ,
                database_=settings.NEO4J_DATABASE or None,
            )
        return GraphResult(tuple(record.data() for record in found.records))

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"graph", "projection"})

    def replace(self, tenant_id: UUID, rows: GraphRows) -> None:
        """Write an organisation's graph in place of the one that is there, in one transaction."""

        def write(transaction: Any) -> None:
            transaction.run(_CLEAR, tenant_id=str(tenant_id))
            for name, statement in _WRITES:
                transaction.run(statement, tenant_id=str(tenant_id), rows=list(getattr(rows, name)))

        with _named_failures(), _driver().session(database=settings.NEO4J_DATABASE or None) as session:
            session.execute_write(write)


@contextmanager
def _named_failures() -> Iterator[None]:
    try:
        from neo4j.exceptions import DriverError, Neo4jError
    except ImportError as error:
        raise ImproperlyConfigured("Neo4j needs its driver: run `make extras`.") from error
    try:
        yield
    except Neo4jError as error:
        raise (KnowledgeGraphTimedOut if error.code in _TIMED_OUT else KnowledgeGraphUnavailable)() from error
    except (DriverError, OSError) as error:
        raise KnowledgeGraphUnavailable() from error


def _driver() -> Driver:
    return _driver_of(settings.NEO4J_URL, settings.NEO4J_USER, settings.NEO4J_PASSWORD)


@lru_cache(maxsize=1)
def _driver_of(url: str, user: str, password: str) -> Driver:
    from neo4j import GraphDatabase

    seconds = settings.KNOWLEDGE_GRAPH_TIMEOUT_MS / 1000
    return GraphDatabase.driver(
        url,
        auth=(user, password),
        connection_timeout=seconds,
        connection_acquisition_timeout=seconds,
        max_transaction_retry_time=0,
    )
