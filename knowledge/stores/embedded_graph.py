"""A knowledge graph in this process, by the embedded openCypher engine Ladybug: no server, no file.

Each organisation's graph is built in memory from its relations in PostgreSQL, read as the acting member, and built anew
when these changed. So there is nothing to feed, to repair or to erase, and no process locks another out of a file. It
is built and asked in native threads: the engine's C code would hold up everybody whom the web server's process serves.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from threading import Lock
from time import monotonic
from typing import Any, Final
from uuid import UUID

import structlog
from django.conf import settings

from foundation.concurrent_calls import CallThreads
from foundation.native_threads import NativeThread
from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable
from knowledge.graph_statements import graph_rows, require_reading
from knowledge.models import KnowledgeRelation
from knowledge.querysets import KnowledgeRelationQuerySet
from knowledge.question_time import milliseconds_left
from knowledge.stores.statement_limits import limited_statements
from knowledge.types import Capability, GraphResult, GraphRows, Org

MOST_GRAPHS: Final = 8
"""The organisations whose graphs a process keeps, those asked about last: each takes about 40 MB (measured)."""
KEPT_SECONDS: Final = 60.0
"""How long a graph that was built gives way to none."""
MOST_RELATIONS: Final = 2_000
"""How many relations a graph has at most, the latest: building so many takes a second and a half (measured)."""
Version = Decimal
"""The digest of the relations that a graph was built of."""
_BUFFER_BYTES: Final = 64 * 1024 * 1024
_LARGEST_BYTES: Final = 1 << 30
_BUILDERS: Final = CallThreads("knowledge graphs", 1)
_BUILDING, _ASKING = NativeThread(), NativeThread()
log = structlog.get_logger(__name__)
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
        self._building: set[UUID] = set()
        self._lock = Lock()

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        """As ``KnowledgeGraphPort.query``. Too late is a graph that is yet to be built, too: no question waits for it.

        A graph whose engine failed is built anew.
        """
        require_reading(cypher)
        most = milliseconds_left(settings.KNOWLEDGE_GRAPH_TIMEOUT_MS)
        with limited_statements(most, KnowledgeGraphTimedOut, KnowledgeGraphUnavailable):
            graph = self._graph_of(org_context)
        if graph is None:
            return GraphResult()
        try:
            return GraphResult(graph.rows(cypher, {**params, "tenant_id": str(org_context.tenant_id)}))
        except TimeoutError as error:
            raise KnowledgeGraphTimedOut() from error
        except RuntimeError as error:
            if _INTERRUPTED in str(error):
                raise KnowledgeGraphTimedOut() from error
            with self._lock:
                self._graphs.pop(org_context.tenant_id, None)
            raise KnowledgeGraphUnavailable() from error

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"graph", "own_transaction"})

    def _graph_of(self, org: Org) -> _OrganisationGraph | None:
        """The organisation's graph as its relations are now; None without any.

        Raises ``KnowledgeGraphTimedOut`` where it has to be built first.
        """
        relations = KnowledgeRelation.objects.filter(tenant_id=org.tenant_id)
        version = relations.digest().first()
        if version is None:
            return None
        with self._lock:
            kept = self._graphs.get(org.tenant_id)
            if kept is not None and kept.version == version:
                self._graphs.move_to_end(org.tenant_id)
                return kept
            begins = org.tenant_id not in self._building and self._has_room(org.tenant_id)
            if begins:
                self._building.add(org.tenant_id)
        if begins:
            self._begin_building(org.tenant_id, version, relations)
        raise KnowledgeGraphTimedOut()

    def _has_room(self, tenant_id: UUID) -> bool:
        """Whether a graph may be kept, in place of the one that was asked longest ago if need be.

        One that was just built stays: organisations that take turns would otherwise have theirs built all the time.
        """
        others = (self._graphs.keys() | self._building) - {tenant_id}
        if len(others) < MOST_GRAPHS:
            return True
        oldest = next(iter(self._graphs.values()), None)
        return oldest is not None and monotonic() - oldest.built_at >= KEPT_SECONDS

    def _begin_building(self, tenant_id: UUID, version: Version, relations: KnowledgeRelationQuerySet) -> None:
        try:
            found = list(relations.order_by("-updated_at", "pk")[:MOST_RELATIONS])
            if len(found) == MOST_RELATIONS and (there := relations.count()) > MOST_RELATIONS:
                log.warning("knowledge_graph_is_cut", tenant=str(tenant_id), relations=there, read=len(found))
        except BaseException:
            self._end_building(tenant_id)
            raise
        _BUILDERS.begin(0, self._build, tenant_id, version, found)

    def _build(self, tenant_id: UUID, version: Version, relations: Sequence[KnowledgeRelation]) -> None:
        """Build a graph and keep it; where that fails, a later question begins anew."""
        try:
            built = _BUILDING.call(_built_graph, version, tenant_id, relations)
            with self._lock:
                self._graphs[tenant_id] = built
                self._graphs.move_to_end(tenant_id)
                while len(self._graphs) > MOST_GRAPHS:
                    self._graphs.popitem(last=False)
        except Exception as error:  # noqa: BLE001  nobody waits for it
            log.warning("knowledge_graph_not_built", tenant=str(tenant_id), error=type(error).__name__)
        finally:
            self._end_building(tenant_id)

    def _end_building(self, tenant_id: UUID) -> None:
        with self._lock:
            self._building.discard(tenant_id)


def _built_graph(version: Version, tenant_id: UUID, relations: Sequence[KnowledgeRelation]) -> _OrganisationGraph:
    return _OrganisationGraph(version, graph_rows(str(tenant_id), relations))


class _OrganisationGraph:
    """One organisation's graph in a database of its own, asked by one thread at a time."""

    def __init__(self, version: Version, rows: GraphRows) -> None:
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
        self.built_at = monotonic()

    def rows(self, cypher: str, params: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        """The rows of a statement. Raises ``TimeoutError`` where none may be waited for, or its turn comes too late."""
        seconds = milliseconds_left(settings.KNOWLEDGE_GRAPH_TIMEOUT_MS) / 1000
        return _ASKING.call(self._ask, cypher, dict(params), monotonic() + seconds, seconds=seconds)

    def _ask(self, cypher: str, params: dict[str, Any], until: float) -> tuple[Mapping[str, Any], ...]:
        if not self._lock.acquire(timeout=max(0.0, until - monotonic())):
            raise TimeoutError
        try:
            self._connection.set_query_timeout(max(1, int((until - monotonic()) * 1000)))  # 0 would be for ever
            found = self._connection.execute(cypher, params)
            assert not isinstance(found, list)
            return tuple(row for row in found.rows_as_dict() if isinstance(row, dict))
        finally:
            self._lock.release()

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
