"""A name that stood beside the words is gone with them, and what stays is named on the certificate, with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, Session
from tests.support.api import post, signed_in
from tests.support.cast import allow, make_person
from tests.support.forgetting import ASK, CONFIRMED, new_session, receipt_of
from tests.support.needles import dump
from tests.support.talk import memories, say
from tests.web.support import signed_in as browser_of

pytestmark = pytest.mark.django_db(transaction=True)
NAME, PLACE, CALL = "Zqwei Zqzhang", "Zqvineyard", "zqcall-of-zqwei"


@pytest.fixture
def as_alice() -> APIClient:
    alice = make_person("alice")
    allow(alice)
    return signed_in(alice)


def _add(client: APIClient, session: str, *texts: str) -> None:
    said = [{"role": "user", "name": NAME, "content": text} for text in texts]
    assert post(client, "/api/memories", {"messages": said, "session_id": session}).status_code == 202
    drain()


def _end(client: APIClient, session: str) -> dict[str, Any]:
    told = {"new_info": "Alice bought a vineyard.", "request_id": CALL, "force": True}
    answer = client.post(f"/api/sessions/{session}/end", told, headers={"Idempotency-Key": "end"})
    assert answer.status_code == 202, answer.json()
    drain()
    body: dict[str, Any] = answer.json()
    return body


def _certificate(client: APIClient, receipt: dict[str, Any]) -> dict[str, Any]:
    answer = client.get(f"/api/erasures/{receipt['tombstone_id']}/certificate")
    assert answer.status_code == 200, answer.json()
    certificate: dict[str, Any] = answer.json()["certificate"]
    return certificate


def _reasons(certificate: dict[str, Any]) -> dict[str, str]:
    return {entry["place"]: entry["reason"] for entry in certificate["kept"]}


def _alice() -> User:
    return User.objects.get(username="alice")


def test_everything_learned_takes_the_names_and_places_beside_the_words(as_alice: APIClient) -> None:
    session = post(as_alice, "/api/sessions", {"location": PLACE}).json()["session_id"]
    _add(as_alice, session, "I prefer short answers.")
    _end(as_alice, session)
    before = dump()
    assert all(word in before for word in (NAME, PLACE, CALL))
    receipt = receipt_of(as_alice.delete("/api/memories", CONFIRMED))
    drain()
    after = dump()
    assert [word for word in (NAME, PLACE, CALL) if word in after] == []
    assert _certificate(as_alice, receipt)["verification"]["residual"] == 0


def test_a_conversation_takes_them_too(as_alice: APIClient) -> None:
    session = post(as_alice, "/api/sessions", {"location": PLACE}).json()["session_id"]
    _add(as_alice, session, "I prefer short answers.")
    _end(as_alice, session)
    receipt_of(post(as_alice, ASK, CONFIRMED | {"scope": "session", "target_id": session}))
    drain()
    after = dump()
    assert [word for word in (NAME, PLACE, CALL) if word in after] == []


def test_a_message_that_loses_all_its_words_loses_its_name(as_alice: APIClient) -> None:
    session = new_session(as_alice)
    _add(as_alice, session, "I prefer answers about gardening.")
    [memory] = memories(_alice())
    receipt = receipt_of(as_alice.delete(f"/api/memories/{memory.pk}"))
    drain()
    assert NAME not in dump()
    assert _reasons(_certificate(as_alice, receipt))["memory.ConversationEvent"] == "order"


def test_a_message_that_loses_a_sentence_loses_its_name_and_keeps_the_rest(as_alice: APIClient) -> None:
    _add(as_alice, new_session(as_alice), "I prefer answers about gardening. The weather is fine in Kunming.")
    [memory] = memories(_alice(), content__icontains="gardening")
    receipt = receipt_of(as_alice.delete(f"/api/memories/{memory.pk}"))
    drain()
    after = dump()
    assert NAME not in after
    assert "The weather is fine in Kunming." in after
    assert _certificate(as_alice, receipt)["verification"]["residual"] == 0


def test_ones_own_name_stays_beside_what_is_left(as_alice: APIClient) -> None:
    [said] = say(_alice(), Session(pk=new_session(as_alice)), "I prefer answers about gardening. The weather is fine.")
    [memory] = memories(_alice(), content__icontains="gardening")
    receipt_of(as_alice.delete(f"/api/memories/{memory.pk}"))
    drain()
    with acting_as(_alice().pk):
        left = ConversationEvent.objects.get(pk=said.pk)
        assert (left.speaker, left.text) == (_alice().name, "The weather is fine.")


def test_words_that_are_kept_keep_their_name_and_the_certificate_says_so(as_alice: APIClient) -> None:
    _add(as_alice, new_session(as_alice), "I prefer short answers.")
    receipt = receipt_of(post(as_alice, ASK, CONFIRMED | {"scope": "memories", "sources": "keep"}))
    drain()
    assert NAME in dump()
    assert _reasons(_certificate(as_alice, receipt))["memory.ConversationEvent"] == "choice"


def test_a_place_that_is_forgotten_is_forgotten_by_the_conversation_too(as_alice: APIClient) -> None:
    session = post(as_alice, "/api/sessions", {"location": PLACE}).json()["session_id"]
    [said] = say(_alice(), Session(pk=session), f"I prefer answers about {PLACE}.")
    [memory] = memories(_alice())
    receipt_of(as_alice.delete(f"/api/memories/{memory.pk}"))
    drain()
    with acting_as(_alice().pk):
        assert Session.objects.get(pk=session).location == ""
        assert ConversationEvent.objects.get(pk=said.pk).text == ""


def test_a_call_repeated_under_its_key_is_answered_alike_though_its_name_is_not_kept(as_alice: APIClient) -> None:
    session = new_session(as_alice)
    assert _end(as_alice, session)["event_id"] == f"{CALL}:1"
    assert _end(as_alice, session)["event_id"] == f"{CALL}:1"


def test_the_page_and_the_api_say_what_stays_and_why(as_alice: APIClient) -> None:
    _add(as_alice, new_session(as_alice), "I prefer short answers.")
    receipt = receipt_of(as_alice.delete("/api/memories", CONFIRMED))
    pending = as_alice.get(f"/api/erasures/{receipt['tombstone_id']}").json()
    drain()
    done = as_alice.get(f"/api/erasures/{receipt['tombstone_id']}").json()
    assert (pending["kept"], done["kept"]) == (None, _certificate(as_alice, receipt)["kept"])
    reasons = {entry["place"]: entry["reason"] for entry in done["kept"]}
    assert (reasons["accounts.User"], reasons["consent.Tombstone"]) == ("access", "proof")
    page = browser_of(_alice()).get(reverse("web:erasure", args=[receipt["tombstone_id"]])).content.decode()
    assert "What stays, and why" in page
    assert "what you allowed, and proof that it was done" in page
