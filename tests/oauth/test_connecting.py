"""A program finds out how to connect, registers, is allowed by its user, asks the API, and is disconnected."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from consent.models import AuditEvent
from finclaw.connected_programs import UNUSED_AFTER, delete_expired
from finclaw.oauth import authorize_page
from finclaw.oauth.authorize_page import AuthorizationRequest, read_request
from foundation.accounts.models import ConnectedProgram, User
from foundation.accounts.scopes import ALL_SCOPES, READ
from foundation.accounts.services import change_password
from foundation.database.acting_user import acting_as
from tests.support.api import code_of
from tests.support.cast import allow
from tests.support.oauth import REDIRECT, RESOURCE, STATE, Assistant, browser_of, register, with_token


def audited(user: User) -> list[tuple[str, bool]]:
    with acting_as(user.pk):
        found = AuditEvent.objects.filter(action__startswith="program.").order_by("at")
        return [(event.action, event.actor_id == user.pk) for event in found]


def test_all_that_a_program_needs_is_found_from_a_refusal(db: None) -> None:
    refused = with_token("fca_unknown").get("/api/memories")
    assert (refused.status_code, code_of(refused)) == (401, "token_invalid")
    address = refused["WWW-Authenticate"].partition('resource_metadata="')[2].rstrip('"')
    resource = Client().get(address)
    assert resource["Access-Control-Allow-Origin"] == "*"
    assert resource.json()["resource"] == RESOURCE
    [issuer] = resource.json()["authorization_servers"]
    server = Client().get(f"{issuer}/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == issuer == "http://testserver"
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert set(server["scopes_supported"]) == set(ALL_SCOPES)
    for endpoint in ("token", "revocation", "registration"):
        assert Client().get(server[f"{endpoint}_endpoint"]).json()["error"] == "method_not_allowed"
    assert Client().get("/.well-known/oauth-protected-resource/other").status_code == 404


def test_a_registration_says_what_was_taken(db: None) -> None:
    answer = register(client_name="  My   assistant ", token_endpoint_auth_method="client_secret_basic", logo_uri="x")
    assert answer.status_code == 201
    body = answer.json()
    assert (body["client_name"], body["redirect_uris"]) == ("My assistant", [REDIRECT])
    assert body["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in body
    assert "registration_access_token" not in body


def test_a_program_that_is_allowed_asks_the_api_until_it_is_disconnected(alice: User) -> None:
    allow(alice)
    assistant = Assistant()
    back = assistant.ask(alice)
    assert (back["state"], back["iss"]) == (STATE, "http://testserver")
    assert assistant.exchange(back["code"]).json()["scope"].split() == list(ALL_SCOPES)
    client = with_token(assistant.tokens["access_token"])
    assert client.get("/api/memories").status_code == 200
    told = client.get("/api/auth/token").json()
    assert (told["name"], told["resource"], told["scopes"]) == ("Assistant", RESOURCE, list(ALL_SCOPES))
    assert told["user_id"] == str(alice.pk)
    assert client.delete("/api/auth/token").status_code == 204
    assert client.get("/api/memories").status_code == 401
    assert assistant.refresh().json()["error"] == "invalid_grant"
    assert audited(alice) == [("program.connected", True), ("program.disconnected", False)]


def test_a_token_is_stored_as_nobody_can_use_it(alice: User) -> None:
    assistant = Assistant()
    assistant.connect(alice)
    assert set(AccessToken.objects.values_list("token", flat=True)) == {""}
    assert set(RefreshToken.objects.values_list("token", flat=True)) == {""}
    assert not Grant.objects.exists()


def test_a_refreshed_token_goes_on_where_the_old_one_ended(alice: User) -> None:
    allow(alice)
    assistant = Assistant()
    old = assistant.connect(alice)
    assert assistant.refresh().status_code == 200
    assert with_token(assistant.tokens["access_token"]).get("/api/memories").status_code == 200
    assert old.get("/api/memories").status_code == 401


def test_a_refusal_reaches_the_program_and_nothing_else_does(alice: User) -> None:
    back = Assistant().ask(alice, answer="refuse")
    assert back == {"error": "access_denied", "state": STATE, "iss": "http://testserver"}
    assert not Grant.objects.exists()
    with acting_as(alice.pk):
        assert not ConnectedProgram.objects.exists()


def test_what_is_allowed_anew_replaces_what_was(alice: User) -> None:
    allow(alice)
    assistant = Assistant()
    client = assistant.connect(alice)
    assistant.connect(alice, scope=READ)
    assert client.get("/api/memories").status_code == 200
    narrowed = client.delete("/api/memories")
    assert (narrowed.status_code, code_of(narrowed)) == (403, "permission_denied")


@pytest.mark.parametrize("lost", ["password", "account"])
def test_who_loses_the_account_loses_the_programs(alice: User, lost: str) -> None:
    assistant = Assistant()
    client = assistant.connect(alice)
    if lost == "password":
        change_password(alice, "another long pass phrase", keep_session=None)
    else:
        User.objects.filter(pk=alice.pk).update(is_active=False)
    assert client.get("/api/users/me").status_code == 401
    assert assistant.refresh().json()["error"] == "invalid_grant"


def test_programs_that_nobody_connected_are_forgotten(alice: User, bob: User) -> None:
    used, unused, fresh = Assistant(), Assistant(), Assistant()
    used.connect(alice)
    long_ago = timezone.now() - UNUSED_AFTER - timedelta(minutes=1)
    Application.objects.filter(client_id__in=[used.client_id, unused.client_id]).update(created=long_ago)
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=31))
    assert delete_expired() == 1
    assert set(Application.objects.values_list("client_id", flat=True)) == {used.client_id, fresh.client_id}
    assert not AccessToken.objects.exists()
    assert used.refresh().json()["error"] == "invalid_grant"


def test_what_is_allowed_while_the_password_changes_is_not(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, address = browser_of(alice), Assistant().address()
    browser.get(address)

    def changed_meanwhile(request: HttpRequest) -> AuthorizationRequest:
        change_password(User.objects.get(pk=alice.pk), "another long pass phrase", keep_session=None)
        return read_request(request)

    monkeypatch.setattr(authorize_page, "read_request", changed_meanwhile)
    answer = browser.post(address, {"answer": "allow", "csrfmiddlewaretoken": browser.cookies["csrftoken"].value})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/?next=/oauth/authorize")
    assert not Grant.objects.exists()
    with acting_as(alice.pk):
        assert not ConnectedProgram.objects.exists()


@pytest.mark.parametrize("sent", [RESOURCE, f"{RESOURCE}/"])
@pytest.mark.parametrize("asked", [RESOURCE, f"{RESOURCE}/"])
def test_a_slash_at_the_end_of_a_resource_changes_nothing(alice: User, asked: str, sent: str) -> None:
    allow(alice)
    assistant = Assistant()
    code = assistant.ask(alice, resource=asked)["code"]
    assert assistant.exchange(code, resource=sent).status_code == 200
    assert assistant.refresh(resource=sent).status_code == 200
    assert with_token(assistant.tokens["access_token"]).get("/api/memories").status_code == 200
