"""What of Neo4j's adapter can be held without a server: failures by their names, reading statements, what is written.

The contract of knowledge graphs could not be run against it.
"""

from __future__ import annotations

import socket
from typing import Any
from uuid import uuid4

import pytest
from neo4j.exceptions import AuthError, ClientError, Neo4jError, ServiceUnavailable
from pytest_django import Settings

from foundation.exceptions import FinClawError
from knowledge.exceptions import KnowledgeGraphTimedOut, KnowledgeGraphUnavailable
from knowledge.graph_statements import THESE_NODES, graph_rows
from knowledge.models import KnowledgeRelation
from knowledge.stores import neo4j_graph
from knowledge.stores.neo4j_graph import Neo4jGraph
from knowledge.types import Org

ORG = Org(uuid4(), "brand_hq")


class RecordedDriver:
    """Stands in for the driver: raises what a test says, and records what it is told to write."""

    def __init__(self, raised: Exception | None = None) -> None:
        self.raised = raised
        self.written: list[tuple[str, dict[str, Any]]] = []

    def execute_query(self, *args: object, **kwargs: object) -> None:
        if self.raised:
            raise self.raised

    def session(self, database: str | None) -> RecordedDriver:
        return self

    def __enter__(self) -> RecordedDriver:
        return self

    def __exit__(self, *args: object) -> None:
        pass

    def execute_write(self, write: Any) -> None:
        write(self)

    def run(self, statement: str, **params: Any) -> None:
        self.written.append((statement, params))


def _timed_out() -> Neo4jError:
    return ClientError._hydrate_neo4j(code="Neo.ClientError.Transaction.TransactionTimedOut", message="")


@pytest.mark.parametrize(
    ("raised", "named"),
    [
        (AuthError("wrong credentials"), KnowledgeGraphUnavailable),
        (ServiceUnavailable("gone mid-query"), KnowledgeGraphUnavailable),
        (ConnectionResetError(), KnowledgeGraphUnavailable),
        (_timed_out(), KnowledgeGraphTimedOut),
    ],
)
def test_a_failure_has_its_name(monkeypatch: pytest.MonkeyPatch, raised: Exception, named: type[FinClawError]) -> None:
    monkeypatch.setattr(neo4j_graph, "_driver", lambda: RecordedDriver(raised))
    with pytest.raises(named):
        Neo4jGraph().query(THESE_NODES, {"nodes": ["x"]}, ORG)


@pytest.fixture
def gone() -> str:
    """The address of a server that is not there any more."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"bolt://127.0.0.1:{server.getsockname()[1]}"


def test_the_real_driver_finds_no_server(settings: Settings, gone: str) -> None:
    settings.NEO4J_URL, settings.KNOWLEDGE_GRAPH_TIMEOUT_MS = gone, 300
    with pytest.raises(KnowledgeGraphUnavailable):
        Neo4jGraph().query(THESE_NODES, {"nodes": ["x"]}, ORG)
    neo4j_graph._driver_of.cache_clear()


def test_a_statement_that_writes_is_refused() -> None:
    with pytest.raises(ValueError, match="only read"):
        Neo4jGraph().query("MATCH (n) DETACH DELETE n", {}, ORG)


def test_a_graph_is_written_whole_and_under_its_organisation(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = RecordedDriver()
    monkeypatch.setattr(neo4j_graph, "_driver", lambda: driver)
    relation = KnowledgeRelation(from_node="linen-jacket", kind="excludes", to_node="shorts")
    Neo4jGraph().replace(ORG.tenant_id, graph_rows(str(ORG.tenant_id), [relation]))

    assert "DETACH DELETE" in driver.written[0][0]
    assert {params["tenant_id"] for _, params in driver.written} == {str(ORG.tenant_id)}
    assert driver.written[1][1]["rows"] == [
        {"tenant_id": str(ORG.tenant_id), "id": "linen-jacket", "words": 2},
        {"tenant_id": str(ORG.tenant_id), "id": "shorts", "words": 1},
    ]
    assert driver.written[-1][1]["rows"] == [{"source": "linen-jacket", "target": "shorts", "kind": "excludes"}]
