"""Trying again: the model is asked anew for a message it failed, and its answer replaces the one from memory."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, MemoryItem, Receipt, SearchEntry, Session
from memory.services.sessions import session_of
from memory.services.turn_leases import begin_turn
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow
from tests.support.model_server import Drops, ModelServer, Refuses, Request, Says
from tests.support.talk import open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
TOLD = "I live in Lisbon"


def _prompt(request: Request) -> str:
    return "\n".join(message["content"] for message in request.body["messages"])


def _say(client: APIClient, session: str, text: str = TOLD) -> Any:
    return post(client, f"/api/sessions/{session}/messages", {"content": text}).json()


def _retry(client: APIClient, message_id: str, *, stream: bool = False, key: str = "") -> Any:
    return post(client, f"/api/messages/{message_id}/retry{'?stream=true' if stream else ''}", key=key)


def _said(client: APIClient, session: str) -> list[tuple[int, str]]:
    listed = client.get(f"/api/sessions/{session}/messages").json()["results"]
    return [(message["seq"], message["content"]) for message in listed]


def test_only_ones_own_messages_are_tried_again(
    as_alice: APIClient, as_charlie: APIClient, charlie: User, session: str, failing_server: ModelServer
) -> None:
    allow(charlie)
    failed = _say(as_alice, session)["message_id"]
    for message_id in (failed, MISSING):
        assert code_of(_retry(as_charlie, message_id)) == "not_found"
    assert as_alice.get(f"/api/messages/{failed}/retry").status_code == 405
    assert as_alice.post("/api/messages/one/retry").status_code == 404
    assert post(as_alice, f"/api/messages/{failed}/retry?depth=2").status_code == 400


def test_the_answer_of_the_model_takes_the_place_of_the_one_from_memory(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    _say(as_alice, session, "I work as a baker")
    failing_server.default, asked = Says(("Lisbon is on the Tagus.",)), len(failing_server.requests)
    answer = _retry(as_alice, failed["message_id"])
    assert (answer.status_code, answer.json()["reply"]) == (200, "Lisbon is on the Tagus.")
    assert "model_unavailable" not in answer.json()["degraded"]
    prompt = _prompt([request for request in failing_server.requests[asked:] if request.body["model"] == "big-7b"][-1])
    assert TOLD in prompt
    assert failed["reply"] not in prompt
    assert "baker" not in prompt
    shown = _said(as_alice, session)
    assert [text for _, text in shown[:2]] == [TOLD, "Lisbon is on the Tagus."]
    assert [seq for seq, _ in shown] == [1, 2, 3, 4]
    with acting_as(alice.pk):
        assert ConversationEvent.objects.get(pk=failed["message_id"]).text == failed["reply"]
        assert "model_unavailable" in Receipt.objects.get(pk=failed["receipt_id"]).degraded


def test_the_message_is_learned_once_and_the_new_answer_is_found_again(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    failing_server.default = Says(("Lisbon is on the Tagus.",))
    answer = _retry(as_alice, failed["message_id"]).json()
    failing_server.default = Refuses(503)
    drain()
    with acting_as(alice.pk):
        assert MemoryItem.objects.filter(content__contains="Lisbon").count() == 1
        found = {str(key) for key in SearchEntry.objects.filter(kind="turn").values_list("pk", flat=True)}
        question = ConversationEvent.objects.get(session_id=session, seq=1)
    assert found == {str(question.pk), answer["message_id"]}


def test_what_is_said_next_knows_the_new_answer_alone(
    as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    failed = _say(as_alice, session)
    failing_server.default = Says(("Lisbon is on the Tagus.",))
    _retry(as_alice, failed["message_id"])
    _say(as_alice, session, "Tell me more about the river there")
    prompt = _prompt(failing_server.requests[-1])
    assert "on the Tagus" in prompt
    assert "could not reach" not in prompt


@pytest.mark.parametrize("stream", [False, True])
def test_where_the_model_fails_again_everything_stays(
    as_alice: APIClient, session: str, failing_server: ModelServer, stream: bool
) -> None:
    failed = _say(as_alice, session)
    before = _said(as_alice, session)
    refused = _retry(as_alice, failed["message_id"], stream=stream)
    assert (refused.status_code, code_of(refused)) == (503, "model_unavailable")
    failing_server.default = Drops(("Half a ", "sen"))
    body = b"".join(_retry(as_alice, failed["message_id"], stream=True).streaming_content)
    assert b"model_unavailable" in body.split(b"event: error")[1]
    assert _said(as_alice, session) == before


def test_an_answer_that_stands_is_not_replaced(as_alice: APIClient, session: str, failing_server: ModelServer) -> None:
    failing_server.default = Says(("Hello.",))
    by_model = _say(as_alice, session)["message_id"]
    assert code_of(_retry(as_alice, by_model)) == "answer_stands"
    failing_server.default = Refuses(503)
    failed = _say(as_alice, session)["message_id"]
    failing_server.default = Says(("Lisbon is on the Tagus.",))
    first = _retry(as_alice, failed, key="again-1")
    assert _retry(as_alice, failed, key="again-1").json() == first.json()
    refused = _retry(as_alice, failed)
    assert (refused.status_code, code_of(refused)) == (409, "answer_stands")


def test_it_is_streamed_and_named_by_the_message_too(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    _say(as_alice, session)
    failing_server.default = Says(("Lisbon is ", "on the Tagus."))
    with acting_as(alice.pk):
        question = ConversationEvent.objects.get(session_id=session, seq=1)
    body = b"".join(_retry(as_alice, str(question.pk), stream=True).streaming_content).decode()
    assert body.startswith('event: delta\ndata: {"text": "Lisbon is "}\n\n')
    assert "event: done" in body
    assert _said(as_alice, session)[-1] == (2, "Lisbon is on the Tagus.")


def test_while_a_reply_is_on_its_way_nothing_is_tried_again(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    failed = _say(as_alice, session)["message_id"]
    with acting_as(alice.pk):
        begin_turn(permit_of(alice), session_of(permit_of(alice), UUID(session)).pk)
    refused = _retry(as_alice, failed)
    assert (refused.status_code, code_of(refused)) == (409, "reply_pending")


def test_without_a_model_nothing_gives_way(
    as_alice: APIClient, session: str, failing_server: ModelServer, settings: Settings
) -> None:
    failed = _say(as_alice, session)["message_id"]
    before = _said(as_alice, session)
    settings.OPENAI_BASE_URL = ""
    refused = _retry(as_alice, failed)
    assert (refused.status_code, code_of(refused)) == (503, "model_unavailable")
    assert _said(as_alice, session) == before


def test_an_old_message_is_answered_without_what_was_said_later(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    _say(as_alice, session, "Hello")
    failed = _say(as_alice, session)["message_id"]
    blocks = [
        {"from_seq": first, "to_seq": first + 1, "text": text, "made_by": "extractive", "created_at": ""}
        for first, text in ((1, "Alice greets"), (3, "Alice names Porto"))
    ]
    with acting_as(alice.pk):
        slots = {"tickers": ["NVDA"]}
        Session.objects.filter(pk=session).update(summary_blocks=blocks, summarized_seq=4, entity_slots=slots)
    failing_server.default = Says(("Lisbon is on the Tagus.",))
    _retry(as_alice, failed)
    prompt = _prompt(failing_server.requests[-1])
    assert "Alice greets" in prompt
    assert "Porto" not in prompt
    assert "NVDA" not in prompt


def test_an_old_message_is_answered_without_what_was_learned_later(
    alice: User, as_alice: APIClient, session: str, failing_server: ModelServer
) -> None:
    earlier, later = (open_session(alice), open_session(alice))
    say(alice, earlier, "I follow Lisbon trams")
    failed = _say(as_alice, session, "What do you think of the Lisbon trams and ferries?")["message_id"]
    say(alice, later, "I follow Lisbon ferries")
    failing_server.default = Says(("They are old.",))
    _retry(as_alice, failed)
    prompt = _prompt(failing_server.requests[-1])
    assert "Follows Lisbon trams" in prompt
    assert "Follows Lisbon ferries" not in prompt
    assert "I follow Lisbon ferries" not in prompt
