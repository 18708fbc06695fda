"""Who may read the metrics, and that no caller can make series of them."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from prometheus_client import REGISTRY

pytestmark = pytest.mark.django_db


def _series() -> set[tuple[str, ...]]:
    """Every series of the HTTP metrics that there is."""
    return {
        (sample.name, *sample.labels.values())
        for metric in REGISTRY.collect()
        if metric.name.startswith("http_")
        for sample in metric.samples
    }


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Bearer wrong", "Token {token}", "{token}", "Bearer 秘密"])
def test_without_the_token_nobody_reads_them(client: Client, given: str) -> None:
    headers = {"Authorization": given.format(token=settings.METRICS_TOKEN)} if given else {}
    answer = client.get("/metrics", headers=headers)

    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"http_requests_total" not in answer.content


def test_with_it_prometheus_does(client: Client) -> None:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"})

    assert answer.status_code == 200
    assert b"http_requests_total" in answer.content


def test_invented_methods_and_addresses_make_no_series(client: Client) -> None:
    client.generic("INVENTED", "/health/live")
    client.generic("INVENTED", "/invented")
    before = _series()

    for number in range(60):
        client.generic(f"INVENTED{number}", "/health/live")
        client.generic(f"INVENTED{number}", f"/invented/{number}")
        client.get(f"/api/invented/{number}", headers={"X-Request-Id": f"invented-{number}"})

    assert {name for name in _series() - before if "api" not in str(name)} == set()
