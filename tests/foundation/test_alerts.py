"""Alerts reach the webhook through the outbox, and wait there while it is down."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pytest_django import Settings

from foundation.alerts import ALERT_TOPIC, alert_key, raise_alert
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain

pytestmark = pytest.mark.django_db


class _Hook(BaseHTTPRequestHandler):
    received: list[tuple[str, object]]
    status: int

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.received.append((self.path, body))
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def hook(settings: Settings) -> Iterator[type[_Hook]]:
    """A webhook on loopback that answers 204 until told otherwise."""

    class Hook(_Hook):
        received: list[tuple[str, object]] = []
        status = 204

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.ALERT_WEBHOOK_URL = f"http://127.0.0.1:{server.server_port}/alerts"
    yield Hook
    server.shutdown()
    thread.join()
    server.server_close()


def _alerts() -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=ALERT_TOPIC))


def test_an_alert_is_posted_as_json(hook: type[_Hook]) -> None:
    raise_alert("erasure", "warn", tombstone_id="t-1", due_at="2026-03-02T00:00:00+00:00")
    drain()

    body = {"kind": "erasure", "level": "warn", "tombstone_id": "t-1", "due_at": "2026-03-02T00:00:00+00:00"}
    assert hook.received == [("/alerts", body)]
    assert [row.state for row in _alerts()] == ["done"]


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_the_webhook_refuses_waits_for_another_try(hook: type[_Hook], status: int) -> None:
    hook.status = status
    raise_alert("erasure", "warn")
    drain()

    assert [(row.state, row.attempts, row.error_class) for row in _alerts()] == [("pending", 1, "HTTPStatusError")]


def test_a_webhook_that_is_down_is_a_failed_attempt_and_no_crash(hook: type[_Hook], settings: Settings) -> None:
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/"  # discard: nobody listens
    raise_alert("erasure", "critical")
    drain()

    assert [(row.state, row.error_class) for row in _alerts()] == [("pending", "ConnectError")]
    assert hook.received == []


def test_what_lasts_is_told_once_a_period_and_cause(hook: type[_Hook]) -> None:
    noon = datetime(2026, 3, 2, 12, 30, tzinfo=UTC)
    keys = [
        alert_key("hour", noon, "historian", "slow"),
        alert_key("hour", noon + timedelta(minutes=29), "historian", "slow"),
        alert_key("hour", noon + timedelta(minutes=30), "historian", "slow"),
        alert_key("hour", noon, "historian", "refused"),
        alert_key("day", noon, "historian", "slow"),
        alert_key("day", noon + timedelta(hours=11), "historian", "slow"),
        alert_key("day", noon + timedelta(hours=12), "historian", "slow"),
    ]
    for key in keys:
        raise_alert("historian", "warn", key)

    assert len(_alerts()) == len(set(keys)) == 5


def test_without_a_webhook_nothing_is_queued(settings: Settings) -> None:
    settings.ALERT_WEBHOOK_URL = ""
    raise_alert("erasure", "warn")

    assert _alerts() == []


def test_a_webhook_taken_away_meanwhile_leaves_no_dead_letter(hook: type[_Hook], settings: Settings) -> None:
    raise_alert("erasure", "warn")
    settings.ALERT_WEBHOOK_URL = ""
    drain()

    assert [row.state for row in _alerts()] == ["done"]
    assert hook.received == []
