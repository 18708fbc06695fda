"""The contract of vector stores, kept by Qdrant in its local mode; how it is fed; and its own failures."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings
from qdrant_client.http.exceptions import UnexpectedResponse

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import configured_embedder
from foundation.outbox.tasks import drain
from foundation.qdrant import QdrantUnavailable, collection_name, qdrant
from foundation.qdrant.client import close_clients
from knowledge.configuration import configured_projection
from knowledge.exceptions import KnowledgeVectorsTimedOut, KnowledgeVectorsUnavailable
from knowledge.member_access import org_of
from knowledge.models import KnowledgeEntry
from knowledge.projection import find_drift
from knowledge.promoted_entries import PromotedText, add_promoted
from knowledge.services import save_entry
from knowledge.stores.qdrant_vectors import CONTENT, QdrantVectorStore
from knowledge.types import VectorFilter
from tests.knowledge.stores.vector_contract import *  # noqa: F403
from tests.knowledge.stores.vector_contract import Indexed, ids, search, vector_of
from tests.support.cast import allow
from tests.support.organisation import know


@pytest.fixture(autouse=True)
def _in_memory(settings: Settings) -> Iterator[None]:
    settings.KNOWLEDGE_VECTOR_STORE = "knowledge.stores.qdrant_vectors.QdrantVectorStore"
    settings.QDRANT_URL, settings.QDRANT_PATH = "", ":memory:"
    yield
    close_clients()


@pytest.fixture
def store() -> QdrantVectorStore:
    return QdrantVectorStore()


def _project(*options: str) -> str:
    told = StringIO()
    call_command("project_knowledge", *options, stdout=told)
    return told.getvalue()


@pytest.fixture
def indexed() -> Indexed:
    """As the outbox leaves it, in a collection that is there."""

    def run() -> None:
        embedder = configured_embedder()
        QdrantVectorStore().prepare(embedder.model_id, embedder.dimensions)
        drain()

    return run


def _differing() -> int:
    store = configured_projection()
    assert store is not None
    return sum(len(drift.outdated) + len(drift.surplus) for drift in find_drift(store))


def test_a_point_holds_no_words_and_nothing_of_a_members(alice: User, tenant: Tenant, indexed: Indexed) -> None:
    own = know(tenant, "Refunds take five working days.", subject="Refunds", source="The handbook")
    permit = allow(alice)
    with acting_as(alice.pk):
        add_promoted(permit, alice, PromotedText("Refunds take a week."))
    indexed()
    embedder = configured_embedder()
    with qdrant() as client:
        points, _ = client.scroll(collection_name(CONTENT, embedder.model_id, embedder.dimensions))

    [point] = points
    assert point.id == str(own.pk)
    assert point.payload is not None
    assert set(point.payload) == {
        "source_type", "tenant_id", "org_tiers", "roles", "platforms", "valid_from", "valid_to", "graph_node_id",
        "version", "embedding_model_id",
    }  # fmt: skip
    assert "efund" not in str(point.payload)


def test_what_the_outbox_missed_is_found_and_put_right(alice: User, tenant: Tenant, store: QdrantVectorStore) -> None:
    missed = know(tenant, "Refunds take five days.")
    outdated = know(tenant, "The canteen serves noodles.")
    _project()
    with in_role(OPERATOR_ROLE):
        KnowledgeEntry.objects.filter(pk=outdated.pk).update(version=7)
    store.remove([missed.pk])
    assert _differing() == 2
    with pytest.raises(CommandError, match="differs"):
        _project("--check")

    assert "2 entries, 2 differ, 2 put right" in _project()
    assert _differing() == 0
    assert "2 entries, 0 differ" in _project("--check")
    assert missed.pk in ids(search(store, alice, "refund"))


def test_a_rebuild_drops_what_no_entry_stands_behind(tenant: Tenant, store: QdrantVectorStore) -> None:
    entry = know(tenant, "Refunds take five days.")
    _project()
    with in_role(OPERATOR_ROLE):
        entry.kind = KnowledgeEntry.Kind.RULE
        entry.save()
    assert _differing() == 1
    assert "0 entries" in _project("--rebuild")
    assert _differing() == 0


def test_a_fact_that_becomes_a_rule_is_removed(alice: User, tenant: Tenant, store: QdrantVectorStore) -> None:
    entry = know(tenant, "Refunds take five days.")
    drain()
    with in_role(OPERATOR_ROLE):
        entry.kind = KnowledgeEntry.Kind.RULE
        save_entry(entry)
    drain()

    assert ids(search(store, alice, "refund")) == []


def test_without_an_outside_store_there_is_nothing_to_write(settings: Settings) -> None:
    settings.KNOWLEDGE_VECTOR_STORE = "knowledge.stores.postgres_vectors.PostgresVectorStore"
    with pytest.raises(CommandError, match="names a store outside"):
        _project()


def _ask(user: User) -> None:
    org = org_of(user)
    assert org is not None
    QdrantVectorStore().search(vector_of("refund"), VectorFilter(org, timezone.now()), 5)


def test_a_collection_that_was_never_written_is_a_failure(alice: User, tenant: Tenant) -> None:
    with pytest.raises(KnowledgeVectorsUnavailable):
        _ask(alice)


def test_a_silent_server_times_out_and_one_that_is_gone_is_unavailable(
    alice: User, tenant: Tenant, settings: Settings
) -> None:
    settings.KNOWLEDGE_VECTOR_TIMEOUT_MS = 100
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.QDRANT_URL = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(KnowledgeVectorsTimedOut):
            _ask(alice)
    with pytest.raises(KnowledgeVectorsUnavailable):
        _ask(alice)


def test_refused_credentials_are_unavailable(alice: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise UnexpectedResponse(401, "Unauthorized", b"", None)  # type: ignore[arg-type]

    with qdrant() as client:
        monkeypatch.setattr(client, "query_points", refuse)
    with pytest.raises(KnowledgeVectorsUnavailable) as failed:
        _ask(alice)
    assert isinstance(failed.value.__cause__, QdrantUnavailable)
    assert failed.value.__cause__.details["reason"] == "credentials_refused"
