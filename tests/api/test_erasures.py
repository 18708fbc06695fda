"""Forgetting over the API: asking for it, watching it, and its certificate (C-9, api.md "data rights")."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from prometheus_client import REGISTRY
from rest_framework.test import APIClient

from consent.erasure.certificate import verify_certificate
from consent.models import Tombstone
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent
from tests.support.api import code_of, post, signed_in
from tests.support.cast import PASSWORD, allow, make_person
from tests.support.forgetting import ASK, CONFIRMED, keep_memory, new_session, receipt_of, write_event
from tests.support.talk import memories


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    allow(alice)
    return signed_in(alice)


def _erasure(client: APIClient, receipt: dict[str, Any]) -> dict[str, Any]:
    answer = client.get(f"/api/erasures/{receipt['tombstone_id']}")
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def _texts(client: APIClient, session: str) -> list[str]:
    return [row["content"] for row in client.get(f"/api/sessions/{session}/messages").json()["results"]]


def _tell(client: APIClient, session: str, text: str) -> Any:
    answer = post(client, f"/api/sessions/{session}/messages", {"content": text})
    assert answer.status_code == 200, answer.json()
    drain()
    return answer.json()


def test_the_same_key_answers_the_same_receipt(as_alice: APIClient) -> None:
    path = f"/api/memories/{keep_memory(as_alice, 'I own a vineyard.')}"
    first, again = (receipt_of(as_alice.delete(path, headers={"Idempotency-Key": "k"})) for _ in range(2))
    drain()
    after = receipt_of(as_alice.delete(path, headers={"Idempotency-Key": "k"}))
    assert first == again == after
    assert len(as_alice.get("/api/erasures").json()["results"]) == 1
    other = as_alice.delete("/api/memories", CONFIRMED, headers={"Idempotency-Key": "k"})
    assert code_of(other) == "idempotency_conflict"


def test_a_wider_or_equal_erasure_under_way_is_a_conflict(as_alice: APIClient) -> None:
    memory = keep_memory(as_alice, "I own a vineyard.")
    receipt_of(as_alice.delete("/api/memories", CONFIRMED))
    again = as_alice.delete("/api/memories", CONFIRMED)
    assert (again.status_code, code_of(again)) == (409, "erasure_in_progress")
    assert as_alice.delete(f"/api/memories/{memory}").status_code == 404  # gone already, for all it is told
    drain()
    receipt_of(as_alice.delete("/api/memories", CONFIRMED))


def _everywhere(client: APIClient, memory: str, session: str) -> str:
    """Every answer that shows what is kept, as text."""
    pages = [
        client.get("/api/memories?include_invalid=true"),
        client.get(f"/api/memories/{memory}"),
        client.get(f"/api/memories/{memory}/history"),
        post(client, "/api/memories/search", {"query": "vineyard"}),
        client.get("/api/events"),
        post(client, "/api/events/search", {"query": "vineyard"}),
        client.get("/api/sessions"),
        client.get(f"/api/sessions/{session}/messages"),
        client.get("/api/exports"),
    ]
    return "\n".join(page.content.decode() for page in pages)


def test_it_is_shown_nowhere_from_the_answer_on(as_alice: APIClient, alice: User) -> None:
    session = new_session(as_alice)
    _tell(as_alice, session, "I prefer vineyards.")
    memory = str(memories(alice)[0].pk)
    assert _everywhere(as_alice, memory, session).lower().count("vineyard") >= 4
    receipt = receipt_of(as_alice.delete(f"/api/memories/{memory}"))
    assert "vineyard" not in _everywhere(as_alice, memory, session).lower()
    asked = post(as_alice, f"/api/sessions/{new_session(as_alice)}/messages", {"content": "What do I prefer?"}).json()
    assert (asked["memories_used"], "vineyard" in asked["reply"]) == ([], False)
    pending = _erasure(as_alice, receipt)
    assert (pending["state"], pending["completed_at"], pending["verification"]) == ("queued", None, None)
    unfinished = as_alice.get(receipt["certificate_url"])
    assert (unfinished.status_code, code_of(unfinished)) == (409, "erasure_in_progress")


def test_an_erased_memory_ends_with_its_history_and_a_certificate_that_verifies(as_alice: APIClient) -> None:
    receipt = receipt_of(as_alice.delete(f"/api/memories/{keep_memory(as_alice, 'I own a vineyard.')}"))
    assert receipt["item_count"] == 1
    drain()
    done = _erasure(as_alice, receipt)
    assert (done["scope"], done["state"], done["verification"]["residual"]) == ("item", "completed", 0)
    assert [step["state"] for step in done["history"]] == [
        "requested", "verified", "tombstoned", "queued", "processing", "completed",
    ]  # fmt: skip
    given = as_alice.get(f"/api/erasures/{receipt['tombstone_id']}/certificate").json()
    certificate = verify_certificate(given)
    assert (certificate["tombstone_id"], certificate["scope"]) == (receipt["tombstone_id"], "item")
    assert certificate["deleted"]["memory.MemoryItem"] == 1
    assert "vineyard" not in str(given)


@pytest.mark.parametrize(("sources", "kept"), [("redact", ""), ("keep", "I prefer vineyards.")])
def test_the_message_it_came_from_is_emptied_or_kept_as_asked(
    as_alice: APIClient, alice: User, sources: str, kept: str
) -> None:
    session = new_session(as_alice)
    _tell(as_alice, session, "I prefer vineyards.")
    receipt_of(as_alice.delete(f"/api/memories/{memories(alice)[0].pk}?sources={sources}"))
    drain()
    assert _texts(as_alice, session)[0] == kept
    assert memories(alice) == []
    with acting_as(alice.pk):
        assert not ConversationEvent.objects.filter(learnable=True, session_id=session, role="user").exists()


def test_an_event_goes_alone(as_alice: APIClient) -> None:
    session = new_session(as_alice)
    one, other = (
        write_event(as_alice, session, "A vineyard.", "one"),
        write_event(as_alice, session, "A bakery.", "two"),
    )
    receipt = receipt_of(as_alice.delete(f"/api/events/{one}"))
    assert as_alice.get(f"/api/events/{one}").status_code == 404
    drain()
    assert _erasure(as_alice, receipt)["state"] == "completed"
    assert [row["event_id"] for row in as_alice.get("/api/events").json()["results"]] == [other]


def test_a_conversation_goes_with_what_was_learned_in_it(as_alice: APIClient, alice: User) -> None:
    session, other = new_session(as_alice), new_session(as_alice)
    _tell(as_alice, session, "I prefer vineyards.")
    _tell(as_alice, other, "I follow BTC.")
    receipt = receipt_of(as_alice.delete(f"/api/sessions/{session}"))
    assert as_alice.get(f"/api/sessions/{session}").status_code == 404
    drain()
    assert _erasure(as_alice, receipt)["state"] == "completed"
    assert [row["session_id"] for row in as_alice.get("/api/sessions").json()["results"]] == [other]
    assert ["BTC" in item.content for item in memories(alice)] == [True]


@pytest.mark.parametrize("scope", ["item", "event", "session"])
def test_the_same_through_the_one_address_for_all_scopes(as_alice: APIClient, scope: str) -> None:
    session = new_session(as_alice)
    event = write_event(as_alice, session, "Alice bought a vineyard.")
    target = {"item": keep_memory(as_alice, "I own a vineyard."), "event": event, "session": session}[scope]
    receipt = receipt_of(post(as_alice, ASK, {"scope": scope, "target_id": target, **CONFIRMED}))
    drain()
    assert (_erasure(as_alice, receipt)["scope"], _erasure(as_alice, receipt)["state"]) == (scope, "completed")


def test_what_was_stated_goes_and_everything_else_stays(as_alice: APIClient) -> None:
    as_alice.patch("/api/users/me/context", {"research_depth": "deep"})
    memory = keep_memory(as_alice, "I own a vineyard.")
    receipt = receipt_of(post(as_alice, ASK, {"scope": "profile", **CONFIRMED}))
    drain()
    assert _erasure(as_alice, receipt)["state"] == "completed"
    assert as_alice.get(f"/api/memories/{memory}").status_code == 200


def _blocked() -> float:
    return REGISTRY.get_sample_value("evolution_blocked_by_erasure_total") or 0.0


def test_nothing_is_learned_while_everything_learned_is_being_erased(as_alice: APIClient, alice: User) -> None:
    session = new_session(as_alice)
    receipt_of(as_alice.delete("/api/memories", CONFIRMED))
    before = _blocked()
    for body in ({"text": "I own a vineyard.", "infer": False}, {"text": "I prefer vineyards."}):
        refused = post(as_alice, "/api/memories", body)
        assert (refused.status_code, code_of(refused)) == (409, "erasure_in_progress")
    assert _blocked() == before + 2
    sent = post(as_alice, f"/api/sessions/{session}/messages", {"content": "I prefer vineyards."})
    assert sent.status_code == 200
    ended = post(as_alice, f"/api/sessions/{session}/end", {"request_id": "r", "new_info": "A vineyard."}).json()
    assert (ended["queued"], ended["event_id"]) == (False, None)
    drain()
    assert memories(alice) == []
    assert "I prefer vineyards." in _texts(as_alice, session)
    keep_memory(as_alice, "I own a vineyard.")  # the erasure is complete: the fence is down
    assert len(memories(alice)) == 1


def test_a_closed_account_opens_nothing_and_its_certificate_outlives_it(alice: User, as_alice: APIClient) -> None:
    keep_memory(as_alice, "I own a vineyard.")
    receipt = receipt_of(post(as_alice, ASK, {"scope": "account", **CONFIRMED}))
    assert as_alice.get("/api/users/me").status_code == 401
    nobody = APIClient()
    signing_in = post(nobody, "/api/auth/token", {"username": "alice", "password": PASSWORD})
    assert (signing_in.status_code, code_of(signing_in)) == (401, "invalid_credentials")
    drain()
    assert not User.objects.filter(pk=alice.pk).exists()
    assert make_person("alice").pk != alice.pk  # the name is free again
    address = urlsplit(receipt["certificate_url"])
    given = nobody.get(f"{address.path}?{address.query}")
    assert given.status_code == 200
    assert verify_certificate(given.json())["user_id"] == str(alice.pk)


def test_a_certificate_opens_to_its_own_secret_alone(as_alice: APIClient) -> None:
    receipts = [
        receipt_of(as_alice.delete(f"/api/memories/{keep_memory(as_alice, text)}")) for text in ("A vine.", "A cow.")
    ]
    drain()
    nobody = APIClient()
    addresses = [urlsplit(receipt["certificate_url"]) for receipt in receipts]
    assert [nobody.get(f"{one.path}?{one.query}").status_code for one in addresses] == [200, 200]
    wrong = [f"{addresses[0].path}?{addresses[1].query}", f"{addresses[0].path}?secret={'0' * 64}"]
    assert [nobody.get(address).status_code for address in wrong] == [404, 404]
    malformed = [f"{addresses[0].path}?secret={'0' * 65}", f"{addresses[0].path}?secret=a%00b"]
    assert [code_of(nobody.get(address)) for address in malformed] == ["validation_error"] * 2
    assert nobody.get(addresses[0].path).status_code == 401


def test_a_name_that_is_taken_stays_taken_until_the_account_is_erased(as_alice: APIClient, alice: User) -> None:
    receipt_of(post(as_alice, ASK, {"scope": "account", **CONFIRMED}))
    assert User.objects.filter(username="alice").exists()
    drain()
    assert not User.objects.filter(username="alice").exists()
    with acting_as(alice.pk):
        assert Tombstone.objects.get(user_id=alice.pk).state == "completed"
