"""A program may introduce itself by a document at its own address: public hosts alone, and by the same rules."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from django.test import Client
from oauth2_provider.cimd import SafeMetadataFetcher
from oauth2_provider.models import Application
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.webhooks import addresses
from tests.support.oauth import REDIRECT, Assistant, browser_of

DOCUMENT = "https://assistant.example/client.json"


class Fetched(dict[str, Any]):
    """What stands at the address, and which addresses were asked."""

    asked: list[str]


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Fetched:
    document = Fetched(client_id=DOCUMENT, client_name="Assistant", redirect_uris=[REDIRECT])
    document.asked = []

    def fetch(_fetcher: SafeMetadataFetcher, client_id: str) -> tuple[dict[str, Any], int]:
        document.asked.append(client_id)
        return dict(document), 300

    monkeypatch.setattr(SafeMetadataFetcher, "fetch", fetch)
    monkeypatch.setattr(addresses, "_addresses_of", lambda host, port: [_address_of(host)])
    return document


def _address_of(host: str) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address("10.0.0.7" if host.startswith("inside") else "93.184.216.34")


def test_a_program_with_a_document_is_allowed_as_one_that_registered(alice: User, fetched: Fetched) -> None:
    assistant = Assistant(DOCUMENT)
    assert assistant.connect(alice).get("/api/auth/token").json()["name"] == "Assistant"
    assert fetched.asked == [DOCUMENT]  # and not again while it holds


@pytest.mark.parametrize(
    "address",
    [
        "https://inside.example/client.json", "http://assistant.example/client.json",
        "https://a:b@assistant.example/client.json", "https://assistant.example/client.json#x",
        "https://assistant.example/" + "x" * 300,
    ],
)  # fmt: skip
def test_no_other_address_is_asked(alice: User, fetched: Fetched, address: str) -> None:
    fetched["client_id"] = address
    answer = browser_of(alice).get(Assistant(address).address())
    assert answer.status_code == 400
    assert fetched.asked == []
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "https://other.example/client.json"}, {"redirect_uris": ["http://assistant.example/"]},
        {"redirect_uris": ["javascript:alert(1)"]}, {"redirect_uris": []}, {"client_name": "x" * 81},
        {"client_name": "key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}, {"client_secret": "x"},
        {"grant_types": ["implicit"]},
    ],
)  # fmt: skip
def test_a_document_out_of_order_makes_no_program(alice: User, fetched: Fetched, change: dict[str, Any]) -> None:
    fetched.update(change)
    assert browser_of(alice).get(Assistant(DOCUMENT).address()).status_code == 400
    assert not Application.objects.exists()


def test_nobody_has_an_address_asked_who_is_not_signed_in(db: None, fetched: Fetched) -> None:
    assistant = Assistant(DOCUMENT)
    Client().get(assistant.address())
    assert assistant.exchange("code").status_code in {400, 401}
    assert fetched.asked == []


def test_an_installation_may_take_no_documents(alice: User, fetched: Fetched, settings: Settings) -> None:
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "CIMD_ENABLED": False}
    discovered = Client().get("/.well-known/oauth-authorization-server").json()
    assert discovered["client_id_metadata_document_supported"] is False
    assert browser_of(alice).get(Assistant(DOCUMENT).address()).status_code == 400
    assert fetched.asked == []
    assert not Application.objects.exists()
