"""Trying again beside an erasure, and beside another who tries the same."""

from __future__ import annotations

from uuid import UUID

import pytest
from rest_framework.test import APIClient

from finclaw.brain.turn import prepare, repeated_request, stream
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.exceptions import AnswerStands
from memory.models import MemoryItem, Session
from memory.services.turn_leases import take_lease_away
from tests.support.api import post
from tests.support.model_server import ModelServer, Says

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = Says(("You live in Lisbon, on the Tagus.",))


def _say(client: APIClient, session: str, text: str = "I live in Lisbon") -> str:
    return str(post(client, f"/api/sessions/{session}/messages", {"content": text}).json()["message_id"])


def _shown(client: APIClient, session: str) -> list[str]:
    return [message["content"] for message in client.get(f"/api/sessions/{session}/messages").json()["results"]]


def test_an_answer_that_gave_way_stays_away_while_its_successor_is_erased(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    drain()
    fallback = _shown(as_alice, session)[1]
    failing_server.default = ANSWER
    assert post(as_alice, f"/api/messages/{failed}/retry").status_code == 200
    with acting_as(alice.pk):
        memory = MemoryItem.objects.get(content__contains="Lisbon")
    assert as_alice.delete(f"/api/memories/{memory.pk}?sources=keep").status_code == 202
    assert fallback not in _shown(as_alice, session)
    asked = len(failing_server.requests)
    assert post(as_alice, f"/api/messages/{failed}/retry").status_code in (404, 409)
    assert len(failing_server.requests) == asked
    drain()
    assert fallback not in _shown(as_alice, session)


def test_of_two_that_try_again_at_once_the_later_is_told_so(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    failing_server.default = ANSWER
    slow = prepare(alice, repeated_request(alice, UUID(failed)))
    with acting_as(alice.pk):
        take_lease_away(Session.objects.get(pk=session))
    assert post(as_alice, f"/api/messages/{failed}/retry").status_code == 200
    with pytest.raises(AnswerStands):
        list(stream(slow))
