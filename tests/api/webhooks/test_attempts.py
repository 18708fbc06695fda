"""What fails is tried again, ever less often, until it is given up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.webhooks import delivery as delivering
from foundation.webhooks.models import Webhook, WebhookDelivery
from tests.api.webhooks.support import ADDRESS, deliveries, remember, try_again
from tests.support.api import post
from tests.support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_worker_that_dies_after_the_answer_tells_it_twice_under_one_id(
    alice: User, webhook: dict[str, Any], receiver: WebhookReceiver
) -> None:
    remember(alice, "Bought a vineyard")
    with patch.object(delivering, "_record", side_effect=RuntimeError):
        drain()
    try_again(alice)
    assert len(receiver.told) == 2
    assert len({headers["webhook-id"] for headers, _ in receiver.told}) == 1
