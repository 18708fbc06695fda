"""What a message taught, as a program is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.db import connections
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.learning import message_learning
from memory.learning.services import observe
from memory.services.versions import ItemDraft
from tests.support.api import post, signed_in
from tests.support.cast import allow, allow_all_but_learning
from tests.support.items import add_item
from tests.support.talk import memories, open_session, permit_of, say
from tests.web.support import chat_of, memory_of, said_in

pytestmark = pytest.mark.django_db(transaction=True)


def learned(client: APIClient, message_id: object) -> dict[str, Any]:
    """The answer about one message."""
    answer = client.get(f"/api/messages/{message_id}/learned")
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def test_somebody_elses_message_is_not_found(alice: User, charlie: User, as_charlie: APIClient) -> None:
    allow(alice)
    allow(charlie)
    (message,) = say(alice, open_session(alice), "I follow BTC")
    (item,) = memories(alice)
    assert as_charlie.get(f"/api/messages/{message.pk}/learned").status_code == 404
    assert as_charlie.get(f"/api/messages/{uuid4()}/learned").status_code == 404
    assert post(as_charlie, f"/api/memories/{item.pk}/take-back").status_code == 404


def test_it_is_read_and_nothing_else(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    (message,) = say(alice, open_session(alice), "I follow BTC")
    assert post(as_alice, f"/api/messages/{message.pk}/learned").status_code == 405
    assert as_alice.get(f"/api/messages/{message.pk}/learned?depth=2").status_code == 400
    assert as_alice.get("/api/messages/one/learned").status_code == 404


def test_a_message_is_pending_until_it_is_read_and_then_tells_each_change(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I live in Hamburg")
    answer = post(
        as_alice, f"/api/sessions/{session.pk}/messages", {"content": "Actually, I live in Berlin now"}
    ).json()
    waiting = learned(as_alice, answer["message_id"])
    assert (waiting["status"], waiting["learned"]) == ("pending", [])
    drain()
    told = learned(as_alice, answer["message_id"])
    (old, new) = memories(alice)
    assert told == learned(as_alice, waiting["message_id"])
    assert told["status"] == "done"
    assert told["learned"] == [
        {
            "event": "changed",
            "memory_id": str(new.pk),
            "content": "Lives in Berlin",
            "former_content": "Lives in Hamburg",
            "certainty": new.confidence,
            "standing": "in_force",
            "undo": f"/api/memories/{new.pk}/undo",
        }
    ]
    assert as_alice.post(told["learned"][0]["undo"]).status_code == 200
    assert learned(as_alice, waiting["message_id"])["learned"][0]["standing"] == "undone"
    assert [item.pk for item in memories(alice, state="active")] == [old.pk]


def test_what_was_noted_is_taken_back_once_and_brought_back_by_undo(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    (message,) = say(alice, open_session(alice), "I follow BTC")
    (noted,) = learned(as_alice, message.pk)["learned"]
    assert (noted["event"], noted["standing"]) == ("noted", "in_force")
    taken_back = as_alice.post(noted["undo"])
    assert (taken_back.status_code, taken_back.json()["state"]) == (200, "invalid")
    assert as_alice.post(noted["undo"]).status_code == 404  # it is closed
    (gone,) = learned(as_alice, message.pk)["learned"]
    assert gone["standing"] == "left_out"
    assert as_alice.post(gone["undo"]).json()["state"] == "active"
    assert learned(as_alice, message.pk)["learned"] == [noted]


def test_what_was_confirmed_since_is_not_taken_back_as_noted(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    (message,) = say(alice, open_session(alice), "I follow BTC")
    (item,) = memories(alice)
    confirmed = post(as_alice, f"/api/memories/{item.pk}/confirm").json()["memory_id"]
    assert post(as_alice, f"/api/memories/{confirmed}/take-back").status_code == 400
    (told,) = learned(as_alice, message.pk)["learned"]
    assert told["undo"] is None


def test_what_waits_says_so_and_what_was_asked_for_about_answers_is_a_preference(
    alice: User, as_alice: APIClient
) -> None:
    allow(alice)
    session = open_session(alice)
    (ill,) = say(alice, session, "I have diabetes")
    (asked,) = learned(as_alice, ill.pk)["learned"]
    assert (asked["event"], asked["standing"], asked["undo"]) == ("asked", "waiting", None)
    assert post(as_alice, f"/api/memories/{asked['memory_id']}/confirm").status_code == 200
    assert learned(as_alice, ill.pk)["learned"][0]["standing"] == "in_force"
    path = f"/api/sessions/{session.pk}/messages"
    answer = post(as_alice, path, {"content": "From now on, always answer in Chinese."}).json()
    (preference,) = learned(as_alice, answer["message_id"])["learned"]
    assert preference["event"] == "preference"
    assert preference["undo"].endswith("/take-back")


def test_what_perhaps_replaces_something_is_settled(alice: User, charlie: User, as_alice: APIClient) -> None:
    allow(alice)
    (message,) = said_in(alice, chat_of(alice, "btw we moved to Leeds last month"))
    older = memory_of(alice, "Lives in Bristol")
    detail = {"rule": "test", "message_ids": [str(message.pk)], "may_change": [str(older.chain_id)]}
    with acting_as(alice.pk):
        draft = ItemDraft("Moved to Leeds", "observation", "fact", "observation", 0.5, detail=detail)
        newer = add_item(permit_of(alice), draft)
    (asked,) = learned(as_alice, message.pk)["learned"]
    assert (asked["event"], asked["standing"], asked["former_content"]) == ("asked", "waiting", "Lives in Bristol")
    path = f"/api/memories/{newer.pk}/settle"
    allow(charlie)
    assert post(signed_in(charlie), path, {"holds": "newer"}).status_code == 404
    assert post(as_alice, path, {"holds": "neither"}).status_code == 400
    assert post(as_alice, path, {"holds": "newer"}).status_code == 200
    assert post(as_alice, path, {"holds": "newer"}).status_code == 400  # it is settled
    (changed,) = learned(as_alice, message.pk)["learned"]
    assert (changed["event"], changed["former_content"]) == ("changed", "Lives in Bristol")


def test_nothing_is_ever_learned_of_a_temporary_chat_or_without_the_scope(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient
) -> None:
    allow(alice)
    allow_all_but_learning(bob)
    for user, client, remember in ((alice, as_alice, False), (bob, as_bob, True)):
        (message,) = say(user, open_session(user, remember=remember), "I follow BTC")
        assert learned(client, message.pk) == {"message_id": str(message.pk), "status": "none", "learned": []}


def test_a_message_that_is_read_meanwhile_is_not_said_to_have_taught_nothing(
    alice: User, as_alice: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    (message,) = say(alice, open_session(alice), "I follow BTC", learn=False)
    with acting_as(alice.pk):
        observe(permit_of(alice), [message], wake=False)
    look = message_learning._topics_queued

    def looked_at_and_then_read(*given: Any) -> Any:
        found = look(*given)
        worker = threading.Thread(target=_drain_until_learned)
        worker.start()
        worker.join()
        return found

    monkeypatch.setattr(message_learning, "_topics_queued", looked_at_and_then_read)
    told = learned(as_alice, message.pk)
    assert (told["status"], [change["content"] for change in told["learned"]]) == ("pending", ["Follows BTC"])


def test_after_a_withdrawal_nothing_is_told(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    (message,) = say(alice, open_session(alice), "I follow BTC")
    allow_all_but_learning(alice)
    assert learned(as_alice, message.pk)["learned"] == []


@pytest.fixture
def http(alice: User, live_server: LiveServer) -> Iterator[httpx.Client]:
    allow(alice)
    headers = {"Authorization": f"Token {issue_token(alice)[1]}", "Accept": "text/event-stream"}
    with httpx.Client(base_url=live_server.url, headers=headers, timeout=20) as client:
        yield client


def streamed(http: httpx.Client, text: str, **session: object) -> list[tuple[str, Any]]:
    """The events of the stream that answers a message in a new chat."""
    session_id = http.post("/api/sessions", json=session).json()["session_id"]
    body = http.post(f"/api/sessions/{session_id}/messages", params={"stream": "true"}, json={"content": text}).text
    frames = [frame.split("\n", 1) for frame in body.strip().split("\n\n") if frame.startswith("event: ")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in frames]


def test_the_stream_ends_with_what_was_learned(http: httpx.Client, settings: Settings, alice: User) -> None:
    settings.LEARNED_WAIT_SECONDS = 60.0
    worker = threading.Thread(target=_drain_until_learned, daemon=True)
    worker.start()
    events = streamed(http, "I follow BTC")
    worker.join()
    assert [name for name, _ in events][-2:] == ["done", "learned"]
    told = events[-1][1]
    assert [change["content"] for change in told["learned"]] == ["Follows BTC"]


def _drain_until_learned() -> None:
    try:
        while not drain():
            pass
    finally:
        connections.close_all()


def test_the_stream_does_not_wait_longer_than_it_may_nor_where_nothing_is_learned(
    http: httpx.Client, settings: Settings
) -> None:
    settings.LEARNED_WAIT_SECONDS = 0.2
    assert [name for name, _ in streamed(http, "I follow BTC")][-1] == "done"
    settings.LEARNED_WAIT_SECONDS = 3600.0
    assert [name for name, _ in streamed(http, "I follow BTC", remember=False)][-1] == "done"
