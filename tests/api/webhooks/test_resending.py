"""What was told, or given up, is told once more when its owner asks."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.api.webhooks.support import ADDRESS, deliveries, remember, try_again
from tests.support.api import code_of, post
from tests.support.cast import allow_nothing
from tests.support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.django_db(transaction=True)


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
