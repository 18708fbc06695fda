"""A full disk: everything can be read, what would be written is refused with a code, and readiness is red."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from finclaw.health.readiness import _queue_age_cache
from foundation.accounts.models import User
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.models import Session
from memory.services import sessions
from tests.support.api import code_of, post
from tests.support.cast import allow
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(alice: User) -> Session:
    """Alice's conversation, from which something was learned."""
    allow(alice)
    session = open_session(alice)
    turn.reply(alice, TurnRequest(session.pk, ({"type": "text", "text": "I follow BTC"},)))
    drain()
    return session


@pytest.fixture
def reads_only(session: Session, as_alice: APIClient) -> Iterator[None]:
    """The database as its watcher leaves it while the disk is nearly full."""
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = off")


@pytest.mark.usefixtures("reads_only")
def test_what_is_stored_can_be_read(alice: User, as_alice: APIClient, session: Session) -> None:
    for path in ("users/me", "sessions", f"sessions/{session.pk}/messages", "memories", "events"):
        assert as_alice.get(f"/api/{path}").status_code == 200, path
    found = post(as_alice, "/api/memories/search", {"query": "What do I follow?"})
    assert "BTC" in found.json()["results"][0]["memory"]


def test_pages_can_be_read_too(alice: User, session: Session) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(alice, "django.contrib.auth.backends.ModelBackend")
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    try:
        for path in (f"/chat/{session.pk}/", "/memories/", "/threads/", "/privacy/", "/settings/"):
            assert browser.get(path).status_code == 200, path
        refused = browser.post(f"/chat/{session.pk}/send/", {"content": "I follow ETH"})
        assert refused.status_code == 507
        assert "The disk of this installation is full" in refused.content.decode()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")


@pytest.mark.usefixtures("reads_only")
def test_what_would_be_written_is_refused_and_says_what_to_do(as_alice: APIClient, session: Session) -> None:
    for path, body in ((f"sessions/{session.pk}/messages", {"content": "Hello"}), ("sessions", {})):
        refused = post(as_alice, f"/api/{path}", body)
        assert (refused.status_code, code_of(refused)) == (507, "writes_refused")
        assert refused["Retry-After"] == "60"
        assert "make room" in refused.json()["message"]


@pytest.mark.usefixtures("reads_only")
def test_it_lives_and_is_not_ready(client: Client) -> None:
    assert client.get("/health/live").status_code == 200
    answer = client.get("/health/ready")
    assert answer.status_code == 503
    assert answer.json()["reason"] == "make room on the disk: the database takes no writes"

    for_proxy = client.get("/health/ready?for=proxy")  # it can still be read from
    assert (for_proxy.status_code, for_proxy.json()["takes_writes"]) == (200, False)


def test_a_disk_that_is_full_before_anybody_noticed_is_named_too(
    as_alice: APIClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: Any, **__: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$")

    monkeypatch.setattr(sessions, "record_messages", write)
    refused = post(as_alice, f"/api/sessions/{session.pk}/messages", {"content": "Hello"})
    assert (refused.status_code, code_of(refused)) == (507, "writes_refused")


@pytest.fixture
def _no_age_known() -> None:
    _queue_age_cache.clear()


@pytest.mark.usefixtures("_no_age_known")
def test_what_readiness_tells(client: Client, session: Session) -> None:
    answer = client.get("/health/ready")
    assert answer.status_code == 200
    told = answer.json()
    assert told.pop("disk_free_bytes") > 0
    assert told == {
        "status": "ready", "database": "reachable", "model": "offline", "queue_age_seconds": 0, "takes_writes": True,
        "unapplied_migrations": 0, "erasures_to_replay": False,
    }  # fmt: skip


@pytest.mark.usefixtures("_no_age_known")
def test_the_whole_queue_is_not_read_each_time_that_a_proxy_asks(client: Client) -> None:
    def reads_queue() -> bool:
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/health/ready?for=proxy").status_code == 200
        return any(OutboxMessage._meta.db_table in query["sql"] for query in queries)

    assert [reads_queue() for _ in range(3)] == [True, False, False]


def test_a_database_of_an_older_version_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = frozenset({("memory", "9999_of_a_newer_version")})
    monkeypatch.setattr("finclaw.health.readiness._known_migrations", lambda: newer)
    for path in ("/health/ready", "/health/ready?for=proxy"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["reason"]) == (503, "run manage.py migrate --database owner")
