"""Trying again beside an erasure, and beside another who tries the same."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from finclaw.brain.turn import prepare, repeated_request, stream
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.exceptions import AnswerStands
from memory.models import MemoryItem, Session
from memory.services.turn_leases import take_lease_away
from tests.support.api import post
from tests.support.cast import allow
from tests.support.model_server import ModelServer, Refuses, Says

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = Says(("You live in Lisbon, on the Tagus.",))


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """A server whose models fail until its ``default`` is changed."""
    with ModelServer(default=Refuses(503)) as server:
        settings.OPENAI_BASE_URL, settings.MODEL_MAX_RETRIES, settings.MODEL_LARGE = server.base_url, 0, "big-7b"
        yield server


@pytest.fixture
def session(alice: User, as_alice: APIClient) -> str:
    allow(alice)
    return str(post(as_alice, "/api/sessions", {}).json()["session_id"])


def _say(client: APIClient, session: str, text: str = "I live in Lisbon") -> str:
    return str(post(client, f"/api/sessions/{session}/messages", {"content": text}).json()["message_id"])


def _shown(client: APIClient, session: str) -> list[str]:
    return [message["content"] for message in client.get(f"/api/sessions/{session}/messages").json()["results"]]


def test_an_answer_that_gave_way_stays_away_while_its_successor_is_erased(
    alice: User, as_alice: APIClient, session: str, server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    drain()
    fallback = _shown(as_alice, session)[1]
    server.default = ANSWER
    assert post(as_alice, f"/api/messages/{failed}/retry").status_code == 200
    with acting_as(alice.pk):
        memory = MemoryItem.objects.get(content__contains="Lisbon")
    assert as_alice.delete(f"/api/memories/{memory.pk}?sources=keep").status_code == 202
    assert fallback not in _shown(as_alice, session)
    asked = len(server.requests)
    assert post(as_alice, f"/api/messages/{failed}/retry").status_code in (404, 409)
    assert len(server.requests) == asked
    drain()
    assert fallback not in _shown(as_alice, session)


def test_of_two_that_try_again_at_once_the_later_is_told_so(
    alice: User, as_alice: APIClient, session: str, server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    server.default = ANSWER
    slow = prepare(alice, repeated_request(alice, UUID(failed)))
    with acting_as(alice.pk):
        take_lease_away(Session.objects.get(pk=session))
    assert post(as_alice, f"/api/messages/{failed}/retry").status_code == 200
    with pytest.raises(AnswerStands):
        list(stream(slow))
