"""A program that listens, and a webhook that leads to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from tests.api.webhooks.support import ADDRESS, EVENTS
from tests.support.api import post
from tests.support.cast import allow
from tests.support.webhook_receiver import WebhookReceiver, receiving


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
