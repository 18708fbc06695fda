"""A worker that runs alone shows what its processes counted, to whoever has the token."""

from __future__ import annotations

import httpx
import pytest
from pytest_django import Settings

from finclaw.health.exposition import serve_worker_metrics
from foundation.outbox import services
from foundation.outbox.capacity import measure_queue
from foundation.outbox.models import OutboxMessage
from foundation.telemetry.metrics import OUTBOX_DEAD_LETTERS, OUTBOX_OLDEST_DUE
from tests.support.ports import free_port

TOKEN = "token-of-this-test"


@pytest.fixture(scope="module")
def address() -> str:
    """Where a worker serves its metrics."""
    port = free_port()
    serve_worker_metrics(port)
    return f"http://127.0.0.1:{port}/metrics"


@pytest.mark.parametrize("authorization", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}])
def test_without_the_token_nothing_is_shown(address: str, authorization: dict[str, str], settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    answer = httpx.get(address, headers=authorization)

    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert "outbox" not in answer.text


@pytest.mark.django_db
def test_the_age_of_the_queue_and_what_failed_for_good_are_shown(address: str, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    services.enqueue("alerts.send", user_id=None, payload={}, wake=False)
    dead = services.enqueue("alerts.send", user_id=None, payload={}, wake=False)
    OutboxMessage.objects.filter(pk=dead.pk).update(state=OutboxMessage.State.FAILED)
    measure_queue()
    answer = httpx.get(address, headers={"Authorization": f"Bearer {TOKEN}"})

    assert answer.status_code == 200
    assert "outbox_dead_letters 1.0" in answer.text
    assert OUTBOX_DEAD_LETTERS._value.get() == 1
    assert OUTBOX_OLDEST_DUE._value.get() > 0
