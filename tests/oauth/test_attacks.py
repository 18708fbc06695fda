"""Each step of connecting a program, attacked."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from finclaw.oauth.endpoints import RegistrationThrottle
from foundation.accounts.models import ConnectedProgram, User
from foundation.accounts.program_tokens import end_connections
from foundation.accounts.scopes import READ, WRITE
from foundation.database.acting_user import acting_as
from tests.support.api import code_of
from tests.support.cast import allow
from tests.support.oauth import (
    REDIRECT,
    RESOURCE,
    STATE,
    VERIFIER,
    Assistant,
    browser_of,
    register,
    with_token,
)

ELSEWHERE = "https://attacker.example/callback"


@pytest.mark.parametrize(
    "uri",
    [
        "http://assistant.example/callback", "javascript:alert(1)", "myapp://callback", "https://", "/callback",
        "https://user:secret@assistant.example/", "https://assistant.example/#part", "https://a.example/ b",
        "http://127.0.0.1.attacker.example/", "http://localhost@attacker.example/", "https://a.example\\@b.example/",
        "https://assistant.example:99999/", "https://assistant.éxample/", "data:text/html,x", "x" * 501,
    ],
)  # fmt: skip
def test_only_addresses_of_https_and_this_machine_are_registered(db: None, uri: str) -> None:
    answer = register(redirect_uris=[REDIRECT, uri])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "metadata",
    [
        {"client_name": "x" * 81}, {"client_name": "sheet\u202eevil"},
        {"client_name": "key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"},
        {"redirect_uris": []}, {"redirect_uris": REDIRECT}, {"redirect_uris": [REDIRECT] * 11},
        {"grant_types": ["password"]}, {"grant_types": ["client_credentials"]}, {"grant_types": ["x"] * 11},
    ],
)  # fmt: skip
def test_metadata_out_of_bounds_is_refused(db: None, metadata: dict[str, Any]) -> None:
    answer = register(**metadata)
    assert answer.status_code in {400, 422}
    assert set(answer.json()) == {"error", "error_description"}
    assert not Application.objects.exists()


@pytest.mark.parametrize("body", [b"[]", b"{", b'"x"', b"\xff"])
def test_a_registration_that_is_no_object_is_refused(db: None, body: bytes) -> None:
    answer = Client().post("/oauth/register", body, content_type="application/json")
    assert answer.status_code == 400
    assert "error" in answer.json()


def test_one_address_cannot_register_without_end(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RegistrationThrottle.THROTTLE_RATES, "registration", "2/hour")
    answers = [register() for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert answers[-1].json()["error"] == "temporarily_unavailable"
    assert int(answers[-1]["Retry-After"]) > 0


@pytest.mark.parametrize(
    "change",
    [
        {"redirect_uri": ELSEWHERE}, {"redirect_uri": f"{REDIRECT}/"}, {"redirect_uri": f"{REDIRECT}?x=1"},
        {"redirect_uri": REDIRECT.upper()}, {"redirect_uri": "https://assistant.example:444/callback"},
        {"redirect_uri": [REDIRECT, ELSEWHERE]}, {"client_id": "unknown"}, {"client_id": None}, {"client_id": "\x00"},
        {"client_id": "https://127.0.0.1/client"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_is_sent_to_an_address_that_is_not_the_programs(
    alice: User, change: dict[str, Any], method: str
) -> None:
    browser, assistant = browser_of(alice), Assistant()
    browser.get(assistant.address())  # for the CSRF token
    sent = {"answer": "allow", "csrfmiddlewaretoken": browser.cookies["csrftoken"].value} if method == "post" else {}
    answer = getattr(browser, method)(assistant.address(**change), **({"data": sent} if sent else {}))
    assert answer.status_code == 400
    assert "Location" not in answer
    assert not Grant.objects.exists()


def test_this_machine_may_listen_on_any_port_and_no_other_host_may(alice: User) -> None:
    client_id = register(redirect_uris=["http://127.0.0.1:4711/cb"]).json()["client_id"]
    browser, assistant = browser_of(alice), Assistant(client_id)
    assert browser.get(assistant.address(redirect_uri="http://127.0.0.1:9999/cb")).status_code == 200
    for other in ("http://localhost:4711/cb", "http://127.0.0.1:4711/other", "http://127.0.0.2:4711/cb"):
        assert browser.get(assistant.address(redirect_uri=other)).status_code == 400


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "x" * 200}, "invalid_request"),
        ({"code_challenge": "\x00" * 43}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "memories:read admin"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/api"}, "invalid_target"),
        ({"resource": [RESOURCE, "https://elsewhere.example/api"]}, "invalid_target"),
        ({"resource": "http://testserver"}, "invalid_target"),
    ],
)
def test_a_request_out_of_order_shows_a_page_and_sends_nobody_away(
    alice: User, change: dict[str, Any], error: str
) -> None:
    browser, assistant = browser_of(alice), Assistant()
    browser.get(assistant.address())  # for the CSRF token
    address = assistant.address(**change)
    page = browser.get(address)
    assert (page.status_code, "Location" in page) == (400, False)
    assert "assistant.example" in page.content.decode()
    link = re.search(r'href="(https://assistant[^"]+)"', page.content.decode())
    assert link is not None
    told = parse_qs(urlsplit(unescape(link[1])).query)
    assert (told["error"], told["state"], told["iss"]) == ([error], [STATE], ["http://testserver"])
    sent = {"answer": "refuse", "csrfmiddlewaretoken": browser.cookies["csrftoken"].value}
    assert browser.post(address, sent).status_code == 400
    assert not Grant.objects.exists()


def test_parameters_of_other_protocols_are_not_kept(alice: User) -> None:
    assert "code" in Assistant().ask(alice, nonce="x" * 5000, claims="\x00")
    assert Grant.objects.get().nonce == ""


def test_another_site_can_neither_send_the_form_nor_frame_the_page(alice: User) -> None:
    browser, assistant = browser_of(alice), Assistant()
    page = browser.get(assistant.address())
    assert page["X-Frame-Options"] == "DENY"
    policy = page["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://assistant.example;" in f"{policy};"
    assert browser.post(assistant.address(), {"answer": "allow"}).status_code == 403
    assert not Grant.objects.exists()


def test_nobody_decides_who_is_not_signed_in(db: None) -> None:
    address = Assistant().address()
    for answer in (Client().get(address), Client().post(address, {"answer": "allow"})):
        assert answer.status_code == 302
        assert answer["Location"].startswith("/sign-in/?next=/oauth/authorize")


def test_the_name_of_a_program_is_shown_as_text(alice: User) -> None:
    client_id = register(client_name="<script>alert(1)</script>").json()["client_id"]
    page = browser_of(alice).get(Assistant(client_id).address()).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize(
    "change",
    [
        {"code_verifier": "b" * 43}, {"code_verifier": None}, {"redirect_uri": ELSEWHERE},
        {"code": "unknown"}, {"code": "\x00"}, {"client_id": "\x00"},
        {"grant_type": "password"}, {"grant_type": "client_credentials"}, {"grant_type": None},
        {"resource": "https://elsewhere.example/api"},
    ],
)  # fmt: skip
def test_a_code_gives_nothing_to_who_does_not_know_the_rest(alice: User, change: dict[str, Any]) -> None:
    assistant = Assistant()
    code = assistant.ask(alice)["code"]
    sent = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
    answer = assistant.request_token(**(sent | change))
    assert answer.status_code in {400, 401}
    assert "access_token" not in answer.json()
    assert not AccessToken.objects.exists()


def test_the_code_of_one_program_gives_another_nothing(alice: User) -> None:
    code = Assistant().ask(alice)["code"]
    answer = Assistant().exchange(code)
    assert answer.json()["error"] == "invalid_grant"
    assert not AccessToken.objects.exists()


def test_a_code_that_is_used_twice_ends_what_came_of_it(alice: User) -> None:
    allow(alice)
    assistant = Assistant()
    code = assistant.ask(alice)["code"]
    assert assistant.exchange(code).status_code == 200
    client, tokens = with_token(assistant.tokens["access_token"]), assistant.tokens
    assert assistant.exchange(code).json()["error"] == "invalid_grant"
    assert client.get("/api/memories").status_code == 401
    assert assistant.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_that_is_used_twice_ends_its_family(alice: User) -> None:
    allow(alice)
    assistant = Assistant()
    assistant.connect(alice)
    stolen = assistant.tokens["refresh_token"]
    assert assistant.refresh().status_code == 200
    client, latest = with_token(assistant.tokens["access_token"]), assistant.tokens["refresh_token"]
    assert assistant.refresh(stolen).json()["error"] == "invalid_grant"
    assert client.get("/api/memories").status_code == 401
    assert assistant.refresh(latest).json()["error"] == "invalid_grant"


def test_a_refresh_allows_no_more_than_its_user_did(alice: User) -> None:
    assistant = Assistant()
    assistant.connect(alice, scope=READ)
    assert assistant.refresh(scope=f"{READ} {WRITE}").json()["error"] == "invalid_scope"
    assert assistant.refresh(scope=READ, resource="https://elsewhere.example").json()["error"] == "invalid_target"


def test_the_refresh_token_of_one_program_gives_another_nothing(alice: User) -> None:
    assistant = Assistant()
    assistant.connect(alice)
    answer = Assistant().refresh(assistant.tokens["refresh_token"])
    assert answer.json()["error"] == "invalid_grant"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_program_gives_back_its_own_tokens_alone(alice: User, kind: str) -> None:
    allow(alice)
    assistant = Assistant()
    client = assistant.connect(alice)
    assert Assistant().revoke(assistant.tokens[kind]).status_code == 200  # as of one that is not known
    assert client.get("/api/memories").status_code == 200
    assert assistant.revoke(assistant.tokens[kind]).status_code == 200
    assert client.get("/api/memories").status_code == 401
    assert assistant.refresh().json()["error"] == "invalid_grant"


def test_a_token_for_another_address_opens_nothing(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    client = Assistant().connect(alice)
    monkeypatch.setattr(settings, "PUBLIC_URL", "https://finclaw.example")
    answer = client.get("/api/memories")
    assert (answer.status_code, code_of(answer)) == (401, "token_invalid")


def test_a_token_goes_in_the_header_alone(alice: User) -> None:
    assistant = Assistant()
    assistant.connect(alice)
    token = assistant.tokens["access_token"]
    assert Client().get(f"/api/memories?access_token={token}").status_code == 401


def test_a_refresh_token_opens_nothing_itself(alice: User) -> None:
    assistant = Assistant()
    assistant.connect(alice)
    assert with_token(assistant.tokens["refresh_token"]).get("/api/memories").status_code == 401


def test_what_is_disconnected_while_a_code_is_under_way_stays_so(alice: User) -> None:
    assistant = Assistant()
    code = assistant.ask(alice)["code"]
    end_connections(alice.pk)
    assert assistant.exchange(code).json()["error"] == "invalid_grant"
    assert not RefreshToken.objects.exists()


def test_a_connection_is_its_users_alone(alice: User, bob: User) -> None:
    assistant = Assistant()
    assistant.connect(alice)
    assistant.connect(bob)
    with acting_as(bob.pk):
        assert {program.user_id for program in ConnectedProgram.objects.all()} == {bob.pk}
    end_connections(bob.pk)
    assert AccessToken.objects.filter(user=alice).count() == 1
