"""What a webhook is told of: once, signed, without a word, and nothing that did not happen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish_all
from memory.models import MemoryItem
from memory.services.history import REPETITION_RULE, Action, Actor, record_change
from memory.services.item_decisions import add_stated
from tests.api.webhooks.support import ADDRESS, deliveries, remember, signature, types_told
from tests.support.talk import permit_of
from tests.support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_what_is_only_said_again_is_no_change(alice: User, webhook: dict[str, Any], receiver: WebhookReceiver) -> None:
    memory = remember(alice, "Bought a vineyard")
    with acting_as(alice.pk):
        item = MemoryItem.objects.get(pk=memory)
        record_change(permit_of(alice), item, Action.CONFIRMED, Actor.PIPELINE, REPETITION_RULE)
        record_change(permit_of(alice), item, Action.CONFIRMED, Actor.PIPELINE, "confirmed")
    drain()
    assert types_told(receiver) == ["memory.learned", "memory.changed"]


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
