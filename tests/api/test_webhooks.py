"""Webhooks: whose they are, what they are told, and how often."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.webhooks import delivery as delivering
from foundation.webhooks.models import Webhook, WebhookDelivery, WebhookEvent
from foundation.webhooks.services import WEBHOOK_TOPIC, cancel_memory_events, change_webhook, publish_all
from memory.models import MemoryItem
from memory.services.history import SAID_AGAIN, Action, Actor, record_change
from memory.services.item_decisions import add_stated
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, allow_nothing
from tests.support.talk import permit_of
from tests.support.webhook_receiver import WebhookReceiver, receiving

pytestmark = pytest.mark.django_db(transaction=True)
EVENTS = ["memory.learned", "memory.changed", "memory.forgotten", "erasure.completed", "export.ready", "task.done"]
ADDRESS = "/api/webhooks"


@pytest.fixture
def receiver(settings: Settings) -> Iterator[WebhookReceiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def webhook(alice: User, as_alice: APIClient, receiver: WebhookReceiver) -> dict[str, Any]:
    """Alice's, of all events."""
    allow(alice)
    return dict(post(as_alice, ADDRESS, {"url": receiver.url, "events": EVENTS}).json())


def remember(user: User, text: str) -> str:
    with acting_as(user.pk):
        return str(add_stated(permit_of(user), text).pk)


def deliveries(user: User) -> list[WebhookDelivery]:
    with acting_as(user.pk):
        return list(WebhookDelivery.objects.order_by("created_at", "id"))


def try_again(user: User) -> None:
    """As if the pauses were over."""
    with acting_as(user.pk):
        Webhook.objects.update(paused_until=None)
        OutboxMessage.objects.filter(topic=WEBHOOK_TOPIC).update(available_at=timezone.now())
    drain()


def types_told(receiver: WebhookReceiver) -> list[str]:
    return [json.loads(body)["type"] for _, body in receiver.told]


def signature(secret: str, headers: Any, body: bytes) -> str:
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_another_person_reaches_no_webhook_and_no_delivery(
    bob: User, as_alice: APIClient, as_bob: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    allow(bob)
    sent = post(as_alice, f"{ADDRESS}/{webhook['webhook_id']}/ping").json()["delivery_id"]
    for known in (webhook["webhook_id"], MISSING):
        one = f"{ADDRESS}/{known}"
        for answer in (
            as_bob.get(one), as_bob.patch(one, {"is_active": False}), as_bob.delete(one), post(as_bob, f"{one}/ping"),
            post(as_bob, f"{one}/secret"), as_bob.get(f"{one}/deliveries"),
            post(as_bob, f"{one}/deliveries/{sent}/resend"),
        ):  # fmt: skip
            assert code_of(answer) == "not_found"
    assert as_bob.get(ADDRESS).json()["results"] == []
    remember(bob, "Plays the bassoon")
    drain()
    assert [json.loads(body)["type"] for _, body in receiver.told] == ["ping"]


@pytest.mark.parametrize(
    "body",
    [{}, {"url": "https://10.0.0.5/", "events": EVENTS}, {"url": "http://8.8.8.8/", "events": EVENTS},
     {"url": "https://8.8.8.8/", "events": []}, {"url": "https://8.8.8.8/", "events": ["ping"]},
     {"url": "nonsense", "events": EVENTS}, {"url": "https://8.8.8.8/", "events": EVENTS, "secret": "x"}],
)  # fmt: skip
def test_a_malformed_or_private_address_is_refused(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    assert code_of(post(as_alice, ADDRESS, body)) == "validation_error"
    assert as_alice.put(ADDRESS).status_code == 405


def test_what_happens_is_told_once_signed_and_without_a_word(
    alice: User, as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    memory = remember(alice, "Bought the zqvineyardzq in Burgundy")
    drain()
    erasure = as_alice.delete(f"/api/memories/{memory}").json()["tombstone_id"]
    drain()
    told = [json.loads(body) for _, body in receiver.told]
    assert [(event["type"], event["data"]) for event in told] == [
        ("memory.learned", {"id": memory}), ("memory.forgotten", {"id": memory}), ("erasure.completed", {"id": erasure})
    ]  # fmt: skip
    for headers, body in receiver.told:
        assert headers["webhook-signature"] == signature(webhook["secret"], headers, body)
        assert b"zqvineyardzq" not in body
    assert {row.state for row in deliveries(alice)} == {"delivered"}


def test_what_fails_is_tried_again_under_the_same_id_and_given_up_after_a_day(
    alice: User, as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500, 307]
    remember(alice, "Bought a vineyard")
    drain()
    [row] = deliveries(alice)
    assert (row.state, row.attempts, row.status_code, row.failure) == ("pending", 1, 500, "refused")
    try_again(alice)
    try_again(alice)
    [row] = deliveries(alice)
    assert (row.state, row.attempts, len({headers["webhook-id"] for headers, _ in receiver.told})) == (
        "delivered",
        3,
        1,
    )

    receiver.statuses = [410]
    with acting_as(alice.pk):
        WebhookDelivery.objects.update(state="pending", give_up_at=timezone.now() - timedelta(seconds=1))
    post(as_alice, f"{ADDRESS}/{webhook['webhook_id']}/ping")
    drain()
    assert {row.event: row.state for row in deliveries(alice)}["ping"] == "pending"
    with acting_as(alice.pk):
        WebhookDelivery.objects.filter(event="ping").update(give_up_at=timezone.now())
    receiver.statuses = [410]
    try_again(alice)
    assert {row.event: row.state for row in deliveries(alice)}["ping"] == "failed"


def test_what_was_given_up_is_sent_again_when_asked(
    alice: User, as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    remember(alice, "Bought a vineyard")
    drain()
    listed = as_alice.get(f"{ADDRESS}/{webhook['webhook_id']}/deliveries").json()["results"]
    assert [(row["event"], row["state"]) for row in listed] == [("memory.learned", "delivered")]
    again = f"{ADDRESS}/{webhook['webhook_id']}/deliveries/{listed[0]['delivery_id']}/resend"
    assert post(as_alice, again).json()["state"] == "pending"
    drain()
    assert [headers["webhook-id"] for headers, _ in receiver.told] == [listed[0]["delivery_id"]] * 2
    allow_nothing(alice)
    assert code_of(post(as_alice, again)) == "consent_scope_missing"


def test_an_address_that_keeps_failing_rests_and_all_its_events_with_it(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500] * 9
    for number in range(6):
        remember(alice, f"Bought vineyard number {number}")
    drain()
    assert len(receiver.told) == delivering.CIRCUIT_FAILURES
    assert {row.state for row in deliveries(alice)} == {"pending"}


def test_a_name_that_leads_inside_by_the_time_is_not_asked(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver, settings: Settings
) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = []
    remember(alice, "Bought a vineyard")
    drain()
    assert receiver.told == []
    assert [row.failure for row in deliveries(alice)] == ["private"]


def test_a_secret_is_told_once_and_the_one_before_signs_for_a_day(
    as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    one = f"{ADDRESS}/{webhook['webhook_id']}"
    assert "secret" not in as_alice.get(one).json()
    newer = post(as_alice, f"{one}/secret").json()["secret"]
    post(as_alice, f"{one}/ping")
    drain()
    [(headers, body)] = receiver.told
    assert headers["webhook-signature"].split() == [signature(key, headers, body) for key in (newer, webhook["secret"])]


def test_without_consent_nothing_waits_to_be_told_of_memories(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    remember(alice, "Bought a vineyard")
    allow_nothing(alice)
    drain()
    assert types_told(receiver) == ["memory.forgotten"]
    assert [row.state for row in deliveries(alice)] == ["cancelled", "delivered"]


def test_what_a_withdrawal_deletes_is_told_memory_by_memory(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    kept = {remember(alice, f"Bought vineyard number {number}") for number in range(3)}
    drain()
    receiver.told.clear()
    allow_nothing(alice)
    drain()
    assert types_told(receiver) == ["memory.forgotten"] * 3
    assert {json.loads(body)["data"]["id"] for _, body in receiver.told} == kept


def test_the_consent_is_asked_again_when_a_memory_event_is_told(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    remember(alice, "Bought a vineyard")
    with (
        patch("consent.withdrawal.cancel_memory_events"),
        patch("consent.withdrawal._cancel_work", return_value=Counter()),
    ):
        allow_nothing(alice)
    drain()
    assert types_told(receiver) == ["memory.forgotten"]
    assert [row.state for row in deliveries(alice)] == ["cancelled", "delivered"]


def test_what_was_cancelled_while_its_address_rests_stays_so(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    remember(alice, "Bought a vineyard")
    with acting_as(alice.pk):
        Webhook.objects.update(paused_until=timezone.now() + timedelta(minutes=1))
    put_off = delivering._wait

    def cancel_before(*given: Any) -> None:
        cancel_memory_events(alice.pk)
        put_off(*given)

    with patch.object(delivering, "_wait", cancel_before):
        drain()
    assert [row.state for row in deliveries(alice)] == ["cancelled"]


def test_what_waits_is_resent_in_place_of_its_next_attempt(
    alice: User, as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500] * 9
    remember(alice, "Bought a vineyard")
    drain()
    again = f"{ADDRESS}/{webhook['webhook_id']}/deliveries/{deliveries(alice)[0].pk}/resend"
    assert [post(as_alice, again).status_code for _ in range(3)] == [202] * 3
    try_again(alice)
    assert len(receiver.told) == 2
    assert [(row.state, row.attempts) for row in deliveries(alice)] == [("pending", 1)]


def test_nothing_is_sent_again_or_tried_while_a_webhook_is_off(
    alice: User, as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    one = f"{ADDRESS}/{webhook['webhook_id']}"
    sent = post(as_alice, f"{one}/ping").json()["delivery_id"]
    drain()
    as_alice.patch(one, {"is_active": False})
    for refused in (post(as_alice, f"{one}/ping"), post(as_alice, f"{one}/deliveries/{sent}/resend")):
        assert code_of(refused) == "validation_error"
        assert list(refused.json()["details"]) == ["is_active"]
    assert [row.state for row in deliveries(alice)] == ["delivered"]


def test_an_address_rests_the_longer_the_oftener_it_failed(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500]
    with acting_as(alice.pk):
        Webhook.objects.update(failures=6)
    remember(alice, "Bought a vineyard")
    drain()
    with acting_as(alice.pk):
        changed = Webhook.objects.get()
    assert changed.paused_until is not None
    assert changed.paused_until > timezone.now() + timedelta(hours=1)


def test_a_change_of_events_leaves_the_failures_that_were_counted_meanwhile(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    with acting_as(alice.pk):
        read = Webhook.objects.get()
        Webhook.objects.update(failures=6)
        change_webhook(read, events=["task.done"])
        assert Webhook.objects.get().failures == 6
        change_webhook(read, url="https://example.com/hook")
        assert Webhook.objects.get().failures == 0


def test_what_is_only_said_again_is_no_change(alice: User, webhook: dict[str, Any], receiver: WebhookReceiver) -> None:
    memory = remember(alice, "Bought a vineyard")
    with acting_as(alice.pk):
        item = MemoryItem.objects.get(pk=memory)
        record_change(permit_of(alice), item, Action.CONFIRMED, Actor.PIPELINE, SAID_AGAIN)
        record_change(permit_of(alice), item, Action.CONFIRMED, Actor.PIPELINE, "confirmed")
    drain()
    assert types_told(receiver) == ["memory.learned", "memory.changed"]


def test_a_name_inside_and_a_name_that_is_none_are_refused_by_the_same_words(alice: User, as_alice: APIClient) -> None:
    inside = post(as_alice, ADDRESS, {"url": "https://10.0.0.5/", "events": EVENTS}).json()
    with patch("socket.getaddrinfo", side_effect=OSError):
        nowhere = post(as_alice, ADDRESS, {"url": "https://hooks.example.com/", "events": EVENTS}).json()
    assert nowhere["details"] == inside["details"]


def test_without_a_webhook_many_rows_cost_one_look(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with acting_as(alice.pk), django_assert_num_queries(1):
        assert publish_all(alice.pk, WebhookEvent.MEMORY_FORGOTTEN, [alice.pk] * 50) == 0


def test_what_is_rolled_back_is_not_told(alice: User, webhook: dict[str, Any]) -> None:
    with acting_as(alice.pk):
        add_stated(permit_of(alice), "Bought a vineyard")
        transaction.set_rollback(True)
    assert deliveries(alice) == []


def test_a_webhook_that_is_off_or_deleted_is_told_nothing(
    alice: User, as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    one = f"{ADDRESS}/{webhook['webhook_id']}"
    remember(alice, "Bought a vineyard")
    assert as_alice.patch(one, {"is_active": False}).json()["is_active"] is False
    remember(alice, "Bought a castle")
    drain()
    assert [row.state for row in deliveries(alice)] == ["cancelled"]
    assert as_alice.delete(one).status_code == 204
    assert (deliveries(alice), receiver.told) == ([], [])


def test_a_worker_that_dies_after_the_answer_tells_it_twice_under_one_id(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    remember(alice, "Bought a vineyard")
    with patch.object(delivering, "_record", side_effect=RuntimeError):
        drain()
    try_again(alice)
    assert len(receiver.told) == 2
    assert len({headers["webhook-id"] for headers, _ in receiver.told}) == 1


def test_there_is_an_end_to_how_many_there_may_be(
    as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    body = {"url": receiver.url, "events": ["task.done"]}
    codes = [post(as_alice, ADDRESS, body).status_code for _ in range(10)]
    assert codes == [201] * 9 + [400]
