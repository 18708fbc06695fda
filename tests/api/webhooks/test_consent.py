"""A webhook is told of memories only while the consent to learning holds."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.webhooks import delivery as delivering
from foundation.webhooks.models import Webhook
from foundation.webhooks.services import cancel_memory_events
from tests.api.webhooks.support import deliveries, remember, types_told
from tests.support.cast import allow_nothing
from tests.support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.django_db(transaction=True)


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
