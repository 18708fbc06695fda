"""Every page and endpoint that knows a secret or makes an account has a limit, and nobody locks somebody else out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from rest_framework.throttling import AnonRateThrottle

from foundation.accounts.attempts import FREE_FAILURES
from foundation.accounts.models import User
from foundation.accounts.services import new_recovery_codes
from tests.support.cast import PASSWORD, allow
from tests.web.support import signed_in

Ask = Callable[[Client, int], Any]
NEW_PASSWORD = "another long pass phrase"
LIMIT = 4
_NOT_VALUES = re.compile(r"\d+|_x\w+")


def _sign_in(browser: Client, number: int) -> Any:
    return browser.post("/sign-in/", {"username": f"name-{number}", "password": "wrong"})


def _operator_sign_in(browser: Client, number: int) -> Any:
    return browser.post("/admin/login/", {"username": f"name-{number}", "password": "wrong"})


def _recover(browser: Client, number: int) -> Any:
    fields = {"username": f"name-{number}", "code": "AAAAA-AAAAA", "new_password": NEW_PASSWORD}
    return browser.post("/recover/", fields)


def _sign_up(browser: Client, number: int) -> Any:
    return browser.post("/sign-up/", {"username": f"name-{number}", "password": PASSWORD})


def _token(browser: Client, number: int) -> Any:
    body = {"username": f"name-{number}", "password": "wrong"}
    return browser.post("/api/auth/token", body, content_type="application/json")


def _certificate_page(browser: Client, number: int) -> Any:
    return browser.get(reverse("web:certificate", args=[uuid4()]), {"secret": f"{number:064}"})


def _certificate_file(browser: Client, number: int) -> Any:
    return browser.get(reverse("web:certificate_proof", args=[uuid4()]), {"secret": f"{number:064}"})


def _certificate(browser: Client, number: int) -> Any:
    return browser.get(reverse("api:certificate", args=[uuid4()]), {"secret": f"{number:064}"})


def _download(browser: Client, number: int) -> Any:
    return browser.get(reverse("api:export_download", args=[f"forged-{number}"]))


ALL = (_sign_in, _operator_sign_in, _recover, _sign_up, _token,
       _certificate_page, _certificate_file, _certificate, _download)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_general_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API's limit of requests a minute would hide the limit of attempts."""
    monkeypatch.setattr(AnonRateThrottle, "THROTTLE_RATES", {"user": None, "anon": None})


def proxied(address: str) -> dict[str, str]:
    """What a proxy of ours adds to a request that says it comes from elsewhere."""
    return {"X-Forwarded-For": f"10.9.8.7, {address}"}


@pytest.mark.django_db
@pytest.mark.parametrize("ask", ALL)
def test_forged_headers_are_one_address(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ADDRESS_FAILURE_LIMIT", LIMIT)
    monkeypatch.setattr(settings, "SIGN_UP_LIMIT", LIMIT)
    refused = []
    for number in range(LIMIT + 1):
        answer = ask(Client(headers={"X-Forwarded-For": f"203.0.113.{number}"}), number)
        refused.append(answer.status_code == 429)

    assert refused == [False] * LIMIT + [True]
    assert int(answer["Retry-After"]) > settings.ATTEMPT_WINDOW.total_seconds() - 60
    assert b"15 minutes" in answer.content


@pytest.mark.django_db
@pytest.mark.parametrize("ask", ALL)
def test_behind_a_proxy_one_client_stops_no_other(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "TRUSTED_PROXIES", 1)
    monkeypatch.setattr(settings, "ADDRESS_FAILURE_LIMIT", 2)
    monkeypatch.setattr(settings, "SIGN_UP_LIMIT", 2)
    attacker = [ask(Client(headers=proxied("198.51.100.66")), number).status_code for number in range(4)]
    assert attacker[2:] == [429, 429]
    assert ask(Client(headers=proxied("198.51.100.7")), 1000).status_code != 429


@pytest.mark.parametrize("ask", ALL)
def test_a_count_outlives_the_request_that_is_refused(ask: Ask) -> None:
    addresses: dict[Ask, str] = {
        _sign_in: "/sign-in/", _operator_sign_in: "/admin/login/", _recover: "/recover/", _sign_up: "/sign-up/",
        _token: "/api/auth/token", _certificate_page: f"/certificate/{uuid4()}/",
        _certificate_file: f"/certificate/{uuid4()}/proof/", _certificate: f"/api/erasures/{uuid4()}/certificate",
        _download: "/api/exports/download/x",
    }  # fmt: skip
    assert "default" in resolve(addresses[ask]).func._non_atomic_requests  # type: ignore[attr-defined]


def test_settings_hold_no_transaction_while_a_password_is_looked_at() -> None:
    assert "default" in resolve("/settings/").func._non_atomic_requests  # type: ignore[attr-defined]


def test_an_attacker_elsewhere_makes_the_owner_wait_half_a_minute_at_most(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "TRUSTED_PROXIES", 1)
    right = {"username": "alice", "password": PASSWORD}
    with time_machine.travel("2026-03-02T12:00:00Z", tick=False) as clock:
        for number in range(12):
            for _ in range(2):
                answer = Client(headers=proxied(f"203.0.113.{number}")).post("/sign-in/", right | {"password": "wrong"})
                clock.shift(int(answer.headers.get("Retry-After", 0)))
        owner = Client(headers=proxied("198.51.100.7"))
        first = owner.post("/sign-in/", right)
        assert (first.status_code, first["Retry-After"]) == (429, "30")
        assert "30 seconds" in first.content.decode()
        clock.shift(30)
        assert owner.post("/sign-in/", right).status_code == 302


def test_what_is_refused_looks_at_no_password(alice: User, client: Client) -> None:
    for _ in range(FREE_FAILURES):
        client.post("/sign-in/", {"username": "alice", "password": "wrong"})
    with patch.object(PBKDF2PasswordHasher, "encode") as encode:
        answer = client.post("/sign-in/", {"username": "alice", "password": PASSWORD})
    assert (answer.status_code, encode.call_count) == (429, 0)


def test_page_api_and_admin_share_the_tries_of_a_name(alice: User, client: Client) -> None:
    wrong = {"username": "alice", "password": "wrong"}
    client.post("/sign-in/", wrong)
    client.post("/admin/login/", wrong)
    client.post("/api/auth/token", wrong, content_type="application/json")
    assert client.post("/sign-in/", wrong).status_code == 429


def test_too_many_wrong_passwords_lock_out_for_a_while_even_with_the_right_one(alice: User, client: Client) -> None:
    right = {"username": "alice", "password": PASSWORD}
    with time_machine.travel("2026-03-02T12:00:00Z", tick=False) as clock:
        for _ in range(settings.SIGN_IN_FAILURE_LIMIT):
            client.post("/sign-in/", right | {"password": "wrong"})
            clock.shift(30)
        answer = client.post("/sign-in/", right)
        assert answer.status_code == 429
        assert "Try again in 10 minutes" in answer.content.decode()
        clock.shift(int(answer["Retry-After"]))
        assert client.post("/sign-in/", right).status_code == 302


def test_whoever_is_locked_out_comes_back_with_a_recovery_code(alice: User, client: Client) -> None:
    code = new_recovery_codes(alice)[0]
    with time_machine.travel("2026-03-02T12:00:00Z", tick=False) as clock:
        for _ in range(settings.SIGN_IN_FAILURE_LIMIT):
            client.post("/sign-in/", {"username": "alice", "password": "wrong"})
            clock.shift(30)
        fields = {"username": "alice", "code": code, "new_password": NEW_PASSWORD}
        assert client.post("/recover/", fields).status_code == 302


def test_a_borrowed_browser_does_not_guess_the_password(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    fields = {"section": "password", "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    with time_machine.travel("2026-03-02T12:00:00Z", tick=False) as clock:
        for _ in range(settings.SIGN_IN_FAILURE_LIMIT):
            assert browser.post("/settings/", fields | {"old_password": "wrong"}).status_code == 400
            clock.shift(30)
        refused = browser.post("/settings/", fields | {"old_password": PASSWORD})
        assert refused.status_code == 429
        assert int(refused["Retry-After"]) > 60
    assert User.objects.get(pk=alice.pk).check_password(PASSWORD)


def _work_of(post: Callable[[], Any]) -> tuple[list[str], int]:
    """The statements sent to the database, without their values, and how often a password was hashed."""
    encode = PBKDF2PasswordHasher.encode
    with (
        patch.object(PBKDF2PasswordHasher, "encode", autospec=True, side_effect=encode) as hashed,
        CaptureQueriesContext(connection) as queries,
    ):
        post()
    return [_NOT_VALUES.sub("", query["sql"])[:60] for query in queries], hashed.call_count


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/recover/", {"code": "AAAAA-AAAAA", "new_password": NEW_PASSWORD}),
        ("/sign-in/", {"password": "wrong"}),
        ("/admin/login/", {"password": "wrong"}),
    ],
)
def test_an_unknown_name_is_as_much_work_as_a_known_one(
    alice: User, bob: User, address: str, fields: dict[str, str]
) -> None:
    new_recovery_codes(alice)
    known = _work_of(lambda: Client().post(address, {"username": "alice"} | fields))
    unknown = _work_of(lambda: Client().post(address, {"username": "nobody"} | fields))
    User.objects.filter(pk=bob.pk).update(is_active=False)
    closed = _work_of(lambda: Client().post(address, {"username": "bob"} | fields))
    assert known[1] == unknown[1] == closed[1] == 1
    assert known[0] == unknown[0] == closed[0]
