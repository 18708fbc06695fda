"""What the tests of webhooks share: events that happen, deliveries as they stand, and signatures."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.webhooks.models import Webhook, WebhookDelivery
from foundation.webhooks.services import WEBHOOK_TOPIC
from memory.services.item_decisions import add_stated
from tests.support.talk import permit_of
from tests.support.webhook_receiver import WebhookReceiver

EVENTS = ["memory.learned", "memory.changed", "memory.forgotten", "erasure.completed", "export.ready", "task.done"]
ADDRESS = "/api/webhooks"


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
