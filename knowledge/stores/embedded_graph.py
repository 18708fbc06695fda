"""A knowledge graph in this process, by the embedded openCypher engine Ladybug: no server, no file.

Each organisation's graph is built in memory from its relations in PostgreSQL, read as the acting member, and built anew
when these changed. So there is nothing to feed, to repair or to erase, and no process locks another out of a file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Max

from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable
from knowledge.graph_statements import graph_rows, require_reading
from knowledge.models import KnowledgeRelation
from knowledge.stores.statement_limits import limited_statements
from knowledge.types import Capability, GraphResult, GraphRows, Org

MOST_GRAPHS: Final = 4
"""The organisations whose graphs a process keeps, those asked about last: each takes about 40 MB (measured)."""
_BUFFER_BYTES: Final = 64 * 1024 * 1024
_LARGEST_BYTES: Final = 1 << 30
_INTERRUPTED: Final = "Interrupted"
_SCHEMA: Final = (
    "CREATE NODE TABLE Node(id STRING PRIMARY KEY, tenant_id STRING, words INT64)",
    "CREATE NODE TABLE Word(text STRING PRIMARY KEY, tenant_id STRING)",
    "CREATE REL TABLE NAMES(FROM Word TO Node)",
    "CREATE REL TABLE PART_OF(FROM Node TO Node)",
    "CREATE REL TABLE RELATED(FROM Node TO Node, kind STRING, source STRING)",
)
_NODES: Final = "UNWIND $rows AS row CREATE (:Node {id: row.id, tenant_id: row.tenant_id, words: row.words})"
_WORDS: Final = "UNWIND $rows AS row CREATE (:Word {text: row.text, tenant_id: row.tenant_id})"
_NAMES: Final = """
UNWIND $rows AS row MATCH (w:Word {text: row.word}), (n:Node {id: row.node}) CREATE (w)-[:NAMES]->(n)
"""
_WHOLES: Final = """
UNWIND $rows AS row MATCH (a:Node {id: row.source}), (b:Node {id: row.target}) CREATE (a)-[:PART_OF]->(b)
"""
_EDGES: Final = """
UNWIND $rows AS row MATCH (a:Node {id: row.source}), (b:Node {id: row.target})
CREATE (a)-[:RELATED {kind: row.kind, source: row.source}]->(b)
"""


class EmbeddedGraph:
    """Asks the graphs of organisations. Call in a transaction acting for a member of the organisation."""

    name = "ladybug"

    def __init__(self) -> None:
        _engine()  # a missing library is told at start
        self._graphs: OrderedDict[UUID, _OrganisationGraph] = OrderedDict()
        self._lock = Lock()

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        """As ``KnowledgeGraphPort.query``. A graph whose engine failed is built anew by the next question."""
        require_reading(cypher)
        most = settings.KNOWLEDGE_GRAPH_TIMEOUT_MS
        with limited_statements(most, KnowledgeGraphTimedOut, KnowledgeGraphUnavailable):
            graph = self._graph_of(org_context)
        if graph is None:
            return GraphResult()
        try:
            return GraphResult(graph.rows(cypher, {**params, "tenant_id": str(org_context.tenant_id)}, most))
        except RuntimeError as error:
            if _INTERRUPTED in str(error):
                raise KnowledgeGraphTimedOut() from error
            with self._lock:
                self._graphs.pop(org_context.tenant_id, None)
            raise KnowledgeGraphUnavailable() from error

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"graph", "own_transaction"})

    def _graph_of(self, org: Org) -> _OrganisationGraph | None:
        """The organisation's graph as its relations are now; None without any."""
        relations = KnowledgeRelation.objects.filter(tenant_id=org.tenant_id)
        version = tuple(relations.aggregate(rows=Count("pk"), latest=Max("updated_at")).values())
        if not version[0]:
            return None
        with self._lock:
            kept = self._graphs.get(org.tenant_id)
        if kept is None or kept.version != version:
            kept = _OrganisationGraph(version, graph_rows(str(org.tenant_id), relations))
        with self._lock:
            self._graphs[org.tenant_id] = kept
            self._graphs.move_to_end(org.tenant_id)
            while len(self._graphs) > MOST_GRAPHS:
                self._graphs.popitem(last=False)
        return kept


class _OrganisationGraph:
    """One organisation's graph in a database of its own, asked by one thread at a time."""

    def __init__(self, version: tuple[object, ...], rows: GraphRows) -> None:
        engine = _engine()
        self.version = version
        self._lock = Lock()
        self._database = engine.Database(
            ":memory:", buffer_pool_size=_BUFFER_BYTES, max_db_size=_LARGEST_BYTES, max_num_threads=1
        )
        self._connection = engine.Connection(self._database)
        for statement in _SCHEMA:
            self._connection.execute(statement)
        self._write(_NODES, rows.nodes)
        self._write(_WORDS, rows.words)
        self._write(_NAMES, rows.names)
        self._write(_WHOLES, rows.wholes)
        self._write(_EDGES, rows.edges)

    def rows(self, cypher: str, params: Mapping[str, Any], milliseconds: int) -> tuple[Mapping[str, Any], ...]:
        """The rows of a statement that may take so long."""
        with self._lock:
            self._connection.set_query_timeout(milliseconds)
            found = self._connection.execute(cypher, dict(params))
            assert not isinstance(found, list)
            return tuple(row for row in found.rows_as_dict() if isinstance(row, dict))

    def close(self) -> None:
        """Give the memory back; a question after it fails."""
        self._connection.close()
        self._database.close()

    def _write(self, statement: str, rows: Sequence[dict[str, Any]]) -> None:
        if rows:  # an empty list has no type that the engine could read
            self._connection.execute(statement, {"rows": list(rows)})


def _engine() -> Any:
    try:
        import ladybug
    except ImportError as error:
        raise ImportError("The embedded graph needs Ladybug: run `make extras`.") from error
    return ladybug
