"""Whatever goes wrong in a store of knowledge, the turn is answered, and the receipt names what was missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from pytest_django import Settings

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.embeddings import LocalEmbedder
from knowledge.types import Capability, GraphResult, Org, QueryVector, VectorFilter, VectorHit
from memory.models import Receipt
from tests.support.cast import allow, make_person
from tests.support.organisation import employ, know
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db(transaction=True)  # the question runs in a thread with a connection of its own
FACT = "Refunds take five working days."
_let_go = Event()


def _hang() -> None:
    _let_go.wait(30)


def _refuse_credentials() -> None:
    raise PermissionError


def _die() -> None:
    raise ConnectionResetError


class BrokenVectors:
    """A vector store that fails as a test says, or answers ``found``."""

    name = "broken"
    act: ClassVar[Callable[[], None]] = staticmethod(lambda: None)
    found: ClassVar[Sequence[VectorHit]] = ()
    asked: ClassVar[int] = 0

    def search(self, query_vector: QueryVector, where: VectorFilter, top_k: int) -> Sequence[VectorHit]:
        type(self).asked += 1
        type(self).act()
        return self.found

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"vectors"})


class BrokenGraph:
    """A graph that fails as a test says, or answers ``found``."""

    name = "broken graph"
    act: ClassVar[Callable[[], None]] = staticmethod(lambda: None)
    found: ClassVar[GraphResult] = GraphResult()

    def query(self, cypher: str, params: Mapping[str, Any], org_context: Org) -> GraphResult:
        type(self).act()
        return self.found

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"graph"})


@pytest.fixture
def employee(settings: Settings) -> User:
    settings.KNOWLEDGE_VECTOR_STORE = f"{__name__}.BrokenVectors"
    settings.KNOWLEDGE_GRAPH = f"{__name__}.BrokenGraph"
    for broken in (BrokenVectors, BrokenGraph):
        broken.act = staticmethod(lambda: None)
    BrokenVectors.found, BrokenGraph.found, BrokenVectors.asked = (), GraphResult(), 0
    alice = make_person("alice")
    tenant = Tenant.objects.create(name=f"Krugerrand {alice.pk}")
    employ(tenant, alice)
    allow(alice)
    know(tenant, FACT)
    return alice


def _degraded(user: User) -> list[str]:
    """What the receipt of an answer says was missing; the fact was told."""
    request = TurnRequest(open_session(user).pk, ({"type": "text", "text": "How long does a refund take?"},))
    result = turn.reply(user, request)
    assert FACT in result.reply
    with acting_as(user.pk):
        return list(Receipt.objects.get(pk=result.receipt_id).degraded)


@pytest.mark.parametrize(
    ("act", "reason"), [(_hang, "timeout"), (_refuse_credentials, "unavailable"), (_die, "unavailable")]
)
@pytest.mark.parametrize(("store", "part"), [(BrokenVectors, "vectors"), (BrokenGraph, "graph")])
def test_a_store_that_fails_costs_its_part_alone(
    employee: User, settings: Settings, store: type[BrokenVectors | BrokenGraph], part: str,
    act: Callable[[], None], reason: str,
) -> None:  # fmt: skip
    store.act = staticmethod(act)
    settings.KNOWLEDGE_VECTOR_TIMEOUT_MS = settings.KNOWLEDGE_GRAPH_TIMEOUT_MS = 50 if act is _hang else 30_000
    _let_go.clear()
    try:
        degraded = _degraded(employee)
    finally:
        _let_go.set()
    assert f"knowledge_{part}_{reason}" in degraded
    other = "graph" if part == "vectors" else "vectors"
    assert not [code for code in degraded if code.startswith(f"knowledge_{other}")] or act is _hang


def test_stores_that_would_take_more_than_all_the_time_leave_some(employee: User, settings: Settings) -> None:
    BrokenVectors.act = BrokenGraph.act = staticmethod(_hang)
    settings.KNOWLEDGE_TIMEOUT_MS = 2_000
    settings.KNOWLEDGE_VECTOR_TIMEOUT_MS = settings.KNOWLEDGE_GRAPH_TIMEOUT_MS = 30_000
    _let_go.clear()
    try:
        degraded = _degraded(employee)
    finally:
        _let_go.set()
    assert {"knowledge_vectors_timeout", "knowledge_graph_timeout"} <= set(degraded)


def test_both_may_fail_at_once(employee: User) -> None:
    BrokenVectors.act = BrokenGraph.act = staticmethod(_die)
    assert {"knowledge_vectors_unavailable", "knowledge_graph_unavailable"} <= set(_degraded(employee))


def test_half_an_answer_is_used_as_far_as_it_goes(employee: User) -> None:
    BrokenVectors.found = [VectorHit(uuid4(), 0.9, "nowhere"), VectorHit(uuid4(), float("nan"))]
    BrokenGraph.found = GraphResult(
        ({"node": "refund", "whole": "refund", "kind": None, "source": None, "related": None},)
    )
    assert not [code for code in _degraded(employee) if code.startswith("knowledge")]


def test_rows_that_lack_what_was_asked_for_are_a_failure_of_the_graph(employee: User) -> None:
    BrokenGraph.found = GraphResult(({"node": "refund"},))
    assert "knowledge_graph_unavailable" in _degraded(employee)


def test_a_turn_encodes_its_message_once(employee: User, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []
    embed = LocalEmbedder.embed_queries

    def counted(self: LocalEmbedder, texts: Sequence[str]) -> Any:
        asked.append(texts)
        return embed(self, texts)

    monkeypatch.setattr(LocalEmbedder, "embed_queries", counted)
    turn.prepare(employee, TurnRequest(open_session(employee).pk, ({"type": "text", "text": "How long is a refund?"},)))
    assert asked == [["How long is a refund?"]]
    assert BrokenVectors.asked == 1
