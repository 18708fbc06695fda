"""Webhooks lead into no private network, by no name, and not after the name was judged; and they are signed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pytest_django import Settings

from foundation.webhooks import http_post
from foundation.webhooks.addresses import AddressRefused, Destination, resolve
from foundation.webhooks.http_post import post
from foundation.webhooks.signatures import new_secret, signature_header
from tests.support.webhook_receiver import dripping, receiving, write_certificate

PUBLIC = "93.184.215.14"


def leading_to(*addresses: str) -> Any:
    """Every name leads to these addresses, one after the other in turns of asking."""
    turns: Iterator[str] = iter(addresses)
    last, real = addresses[-1], socket.getaddrinfo

    def ask(host: str, port: int, *given: Any, **named: Any) -> list[Any]:
        if host[0].isdigit():  # an address is itself
            return real(host, port, *given, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(turns, last), port))]

    return patch.object(socket, "getaddrinfo", ask)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.5", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",  # noqa: S104
        "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
        "64:ff9b::a00:5", "2002:a00:5::", "2001:db8::1", "fec0::1",
    ],
)  # fmt: skip
def test_addresses_inside_are_refused_whatever_they_are_called(address: str) -> None:
    with leading_to(address), pytest.raises(AddressRefused) as refused:
        resolve("https://hooks.example.com/a")
    assert refused.value.reason == "private"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.com/", "malformed"), ("https://", "malformed"), ("//example.com", "malformed"),
        ("https://me:pw@example.com/", "malformed"), ("https://example.com/#x", "malformed"),
        ("https://example.com:99999/", "malformed"), ("https://ex ample.com/", "malformed"),
        ("https://example.com/\r\nX: y", "malformed"), ("http://example.com/", "insecure"),
        ("https://2130706433/", "private"), ("https://[::1]/", "private"),
    ],
)  # fmt: skip
def test_malformed_and_insecure_addresses_are_refused(url: str, reason: str) -> None:
    with leading_to("10.0.0.5" if "[" in url else PUBLIC), pytest.raises(AddressRefused) as refused:
        resolve(url)
    assert refused.value.reason == reason


def test_the_connection_goes_to_the_address_that_was_judged(settings: Settings) -> None:
    with receiving() as receiver:
        settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
        url = receiver.url.replace("127.0.0.1", "rebound.example.com")
        with leading_to("127.0.0.1", "10.0.0.5"):
            judged = resolve(url)
            assert post(judged, b"{}", {}) == 204  # the name would lead elsewhere by now
        assert receiver.told[0][0]["Host"] == f"rebound.example.com:{judged.port}"
        with leading_to("10.0.0.5"), pytest.raises(AddressRefused):
            resolve(url)


def test_a_redirection_is_an_answer_and_is_not_followed(settings: Settings) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with receiving() as receiver:
        receiver.statuses = [307]
        assert post(resolve(receiver.url), b"{}", {}) == 307
        assert len(receiver.told) == 1


def test_whoever_drips_an_answer_over_tls_is_hung_up_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    write_certificate(tmp_path / "receiver.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "receiver.pem"))
    monkeypatch.setattr(http_post, "SECONDS", 0.5)
    with dripping(tmp_path / "receiver.pem") as url, pytest.raises(TimeoutError):
        post(resolve(url), b"{}", {})


def test_the_host_is_named_with_a_port_that_is_not_the_schemes_own() -> None:
    assert Destination(PUBLIC, 443, "example.com", "/", True).host_header == "example.com"
    assert Destination(PUBLIC, 8443, "2001:db8::1", "/", True).host_header == "[2001:db8::1]:8443"


def test_signatures_are_those_of_standard_webhooks() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # the published example
    signed = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}')
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature_header([secret], *signed) == expected
    first, second = signature_header([new_secret(), secret], *signed).split(" ")
    assert second == expected != first
