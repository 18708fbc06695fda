"""One client for every package: what fails becomes one of two errors, and no request waits longer than it may."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from httpx import Headers
from pytest_django import Settings
from qdrant_client import models
from qdrant_client.http.exceptions import UnexpectedResponse

from foundation.qdrant import (
    QdrantRefused,
    QdrantUnavailable,
    collection_name,
    collections_of,
    drop_collection,
    ensure_collection,
    qdrant,
)
from foundation.qdrant.client import close_clients


@pytest.fixture(autouse=True)
def _in_memory(settings: Settings) -> Iterator[None]:
    settings.QDRANT_URL, settings.QDRANT_PATH = "", ":memory:"
    yield
    close_clients()


def test_without_settings_there_is_no_store(settings: Settings) -> None:
    settings.QDRANT_PATH = ""
    with pytest.raises(QdrantUnavailable), qdrant() as client:
        client.get_collections()


def test_a_server_that_is_not_there_is_waited_for(settings: Settings, listening: socket.socket) -> None:
    port = listening.getsockname()[1]
    listening.close()
    settings.QDRANT_URL = f"http://127.0.0.1:{port}"
    with pytest.raises(QdrantUnavailable) as failed, qdrant() as client:
        client.get_collections()
    assert (failed.value.reason, failed.value.is_outage) == ("unreachable", True)


def test_a_silent_server_holds_nobody_longer_than_allowed(settings: Settings, listening: socket.socket) -> None:
    settings.QDRANT_URL = f"http://127.0.0.1:{listening.getsockname()[1]}"
    started = time.monotonic()
    with pytest.raises(QdrantUnavailable) as failed, qdrant(seconds=0.05) as client:
        client.get_collections()
    assert (failed.value.reason, failed.value.is_outage) == ("timeout", True)
    assert time.monotonic() - started < settings.QDRANT_TIMEOUT_SECONDS


@pytest.mark.parametrize(
    ("status", "reason", "waits"),
    [
        (401, "credentials_refused", True),
        (429, "rate_limited", True),
        (503, "server_error", True),
        (400, "request_refused", False),
        (404, "request_refused", False),
    ],
)
def test_what_the_server_says_stays_with_it(status: int, reason: str, waits: bool) -> None:
    with pytest.raises(QdrantUnavailable) as failed, qdrant():
        raise UnexpectedResponse(status, "", b"the secret of a request", Headers())
    assert (failed.value.reason, failed.value.is_outage) == (reason, waits)
    assert not failed.value.may_be_its_doing
    assert "secret" not in f"{failed.value}{failed.value.details}"
    assert failed.value.__suppress_context__


def test_a_collection_that_is_not_there_is_a_wrong_request() -> None:
    with pytest.raises(QdrantRefused), qdrant() as client:
        client.count("nowhere")


def test_a_folder_belongs_to_one_process(settings: Settings, tmp_path: Path) -> None:
    settings.QDRANT_PATH = str(tmp_path)
    from qdrant_client import QdrantClient

    other = QdrantClient(path=str(tmp_path))
    with pytest.raises(QdrantUnavailable), qdrant() as client:
        client.get_collections()
    other.close()
    with qdrant() as client:
        assert client.get_collections().collections == []


def test_each_model_has_a_collection_of_its_own() -> None:
    names = {collection_name("memory", model, 2) for model in ("E5/Small", "e5 small", "light")}
    assert len(names) == 3
    for name in names:
        assert ensure_collection(name, 2, owner_field="user_id")
        assert not ensure_collection(name, 2, owner_field="user_id")
    ensure_collection(collection_name("knowledge", "light", 2), 2, owner_field="tenant_id")
    assert collections_of("memory") == sorted(names)


def test_vectors_stay_as_they_were_given_and_are_found_by_owner() -> None:
    name, mine, others = collection_name("memory", "light", 2), str(uuid4()), str(uuid4())
    ensure_collection(name, 2, owner_field="user_id")
    with qdrant() as client:
        points = [
            models.PointStruct(id=key, vector=vector, payload={"user_id": owner})
            for key, vector, owner in ((mine, [0.6, 0.8], "alice"), (others, [1.0, 0.0], "bob"))
        ]
        client.upsert(name, points)
        owned = models.FieldCondition(key="user_id", match=models.MatchValue(value="alice"))
        found = client.query_points(name, [1.0, 0.0], query_filter=models.Filter(must=[owned])).points
        assert [(point.id, round(point.score, 4)) for point in found] == [(mine, 0.6)]
        assert client.retrieve(name, [mine], with_vectors=True)[0].vector == pytest.approx([0.6, 0.8])
    drop_collection(name)
    drop_collection(name)
    assert collections_of("memory") == []
