"""What a model server may send loses nobody a turn: NUL, half characters, an answer that its limit cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ConversationEvent, Receipt
from tests.support.api import post
from tests.support.cast import allow
from tests.support.model_server import KnowsFormats, ModelServer, Says
from tests.support.talk import open_session
from tests.web.support import signed_in

CUT = "The answer was cut at the model’s limit."
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, settings.MODEL_MAX_RETRIES = running.base_url, "k", 0
        yield running


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_with_nul_is_stored_without_it(
    alice: User, as_alice: APIClient, server: ModelServer, stream: bool
) -> None:
    allow(alice)
    session = open_session(alice)
    server.default = Says(("Bonds\x00 fell", " \ud83d", "\ude00 \udc00."))

    answer = post(as_alice, f"/api/sessions/{session.pk}/messages?stream={str(stream).lower()}", {"content": "Well?"})

    assert answer.status_code == 200
    if stream:
        assert b"event: done" in b"".join(answer.streaming_content)
    with acting_as(alice.pk):
        stored = ConversationEvent.objects.get(role="assistant")
    assert stored.text == "Bonds fell 😀 ?."


def test_a_cut_answer_says_so_in_the_answer_on_the_receipt_and_on_the_page(
    alice: User, as_alice: APIClient, server: ModelServer
) -> None:
    allow(alice)
    session = open_session(alice)
    messages = f"/api/sessions/{session.pk}/messages"
    server.default = Says(("Bonds are",), finish_reason="length")

    body = post(as_alice, messages, {"content": "What are bonds?"}).json()

    assert body["finish_reason"] == "length"
    assert "answer_cut" in body["degraded"]
    with acting_as(alice.pk):
        assert "answer_cut" in Receipt.objects.get(pk=body["receipt_id"]).degraded
    page = signed_in(alice).get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert page.count(CUT) == 1


def test_a_whole_answer_says_nothing_of_it(
    alice: User, as_alice: APIClient, server: ModelServer, client: Client
) -> None:
    allow(alice)
    session = open_session(alice)

    body = post(as_alice, f"/api/sessions/{session.pk}/messages", {"content": "What are bonds?"}).json()

    assert body["finish_reason"] == "stop"
    assert "answer_cut" not in body["degraded"]
    assert CUT not in signed_in(alice).get(reverse("web:chat_session", args=[session.pk])).content.decode()


def test_a_server_without_schemas_leaves_no_turn_to_the_rules(
    alice: User, as_alice: APIClient, server: ModelServer
) -> None:
    allow(alice)
    session = open_session(alice)
    intent = (
        '{"intent_type": "small_talk", "confidence": 1, "action_required": false, "extracted_entities": {},'
        ' "context_hints": [], "queries": []}'
    )
    server.default = KnowsFormats(frozenset({"json_object"}), Says((intent,)), status=500)

    body = post(as_alice, f"/api/sessions/{session.pk}/messages", {"content": "What could I do?"}).json()

    assert body["intent"]["intent_type"] == "small_talk"
    assert "small_model_unavailable" not in body["degraded"]
