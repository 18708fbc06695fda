"""Webhooks as one keeps them: whose they are, which addresses are allowed, their secrets, and how many."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.webhooks.models import Webhook
from foundation.webhooks.services import change_webhook
from tests.api.webhooks.support import ADDRESS, EVENTS, remember, signature
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow
from tests.support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_name_inside_and_a_name_that_is_none_are_refused_by_the_same_words(alice: User, as_alice: APIClient) -> None:
    inside = post(as_alice, ADDRESS, {"url": "https://10.0.0.5/", "events": EVENTS}).json()
    with patch("socket.getaddrinfo", side_effect=OSError):
        nowhere = post(as_alice, ADDRESS, {"url": "https://hooks.example.com/", "events": EVENTS}).json()
    assert nowhere["details"] == inside["details"]


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


def test_there_is_an_end_to_how_many_there_may_be(
    as_alice: APIClient, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    body = {"url": receiver.url, "events": ["task.done"]}
    codes = [post(as_alice, ADDRESS, body).status_code for _ in range(10)]
    assert codes == [201] * 9 + [400]
