"""Signing in by token (T-2): each way of being refused has its own code."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from foundation.accounts.models import ApiToken, User
from foundation.accounts.services import issue_token, revoke_tokens
from tests.support.api import MISSING, code_of, post
from tests.support.cast import PASSWORD


def _with(token: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def test_another_persons_token_is_not_found(alice: User, as_charlie: APIClient) -> None:
    token, _ = issue_token(alice)
    answer = as_charlie.delete(f"/api/auth/tokens/{token.id}")
    assert (answer.status_code, code_of(answer)) == (404, "not_found")
    token.refresh_from_db()
    assert token.revoked_at is None


@pytest.mark.parametrize("method", ["put", "patch"])
def test_a_token_is_made_by_post_alone(as_alice: APIClient, method: str) -> None:
    answer = getattr(as_alice, method)("/api/auth/token")
    assert (answer.status_code, code_of(answer)) == (405, "method_not_allowed")


def test_credentials_that_are_incomplete_are_named(db: None) -> None:
    answer = post(APIClient(), "/api/auth/token", {"username": "alice"})
    assert (answer.status_code, code_of(answer)) == (400, "validation_error")
    assert list(answer.json()["details"]) == ["password"]


def test_a_user_name_and_password_give_a_token_that_opens(alice: User) -> None:
    answer = post(APIClient(), "/api/auth/token", {"username": "alice", "password": PASSWORD, "name": "script"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"token", "expires_at"}
    assert _with(answer.json()["token"]).get("/api/users/me").json()["username"] == "alice"
    assert ApiToken.objects.get(user=alice).name == "script"


@pytest.mark.parametrize("username", ["alice", "nobody"])
def test_a_wrong_password_and_an_unknown_name_look_alike(alice: User, username: str) -> None:
    answer = post(APIClient(), "/api/auth/token", {"username": username, "password": "wrong"})
    assert (answer.status_code, code_of(answer)) == (401, "invalid_credentials")


def test_too_many_wrong_passwords_lock_even_the_right_one_out(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "SIGN_IN_FAILURE_LIMIT", 3)
    codes = [
        code_of(post(APIClient(), "/api/auth/token", {"username": "alice", "password": "wrong"})) for _ in range(4)
    ]
    assert codes == ["invalid_credentials"] * 3 + ["rate_limited"]
    answer = post(APIClient(), "/api/auth/token", {"username": "alice", "password": PASSWORD})
    assert (answer.status_code, code_of(answer)) == (429, "rate_limited")
    assert int(answer["Retry-After"]) > settings.ATTEMPT_WINDOW.total_seconds() - 60


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token a b",
        "Token nothing",
        "Token ÿ",
        "token " + "x" * 5_000,
        "Bearer",
        "Bearer a b",
        "Bearer nothing",
    ],
)
def test_a_token_nobody_issued_is_invalid(db: None, header: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header)
    answer = client.get("/api/users/me")
    assert (answer.status_code, code_of(answer)) == (401, "token_invalid")


@pytest.mark.parametrize("keyword", ["Token", "Bearer", "bearer", "TOKEN"])
def test_a_token_is_taken_under_either_name(alice: User, keyword: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"{keyword} {issue_token(alice)[1]}")
    assert client.get("/api/users/me").json()["username"] == alice.username


def test_no_token_at_all_is_not_authenticated(db: None) -> None:
    answer = APIClient().get("/api/users/me")
    assert (answer.status_code, code_of(answer)) == (401, "not_authenticated")
    told = 'Bearer resource_metadata="http://testserver/.well-known/oauth-protected-resource/api"'
    assert answer["WWW-Authenticate"] == told


def test_an_expired_token_says_so(alice: User) -> None:
    token, plain = issue_token(alice)
    ApiToken.objects.filter(pk=token.pk).update(expiry=timezone.now() - timedelta(seconds=1))
    assert code_of(_with(plain).get("/api/users/me")) == "token_expired"


def test_a_revoked_token_says_so(alice: User) -> None:
    _, plain = issue_token(alice)
    revoke_tokens(alice)
    assert code_of(_with(plain).get("/api/users/me")) == "token_revoked"


def test_a_token_revokes_itself(alice: User, as_alice: APIClient) -> None:
    assert as_alice.delete("/api/auth/token").status_code == 204
    assert code_of(as_alice.get("/api/users/me")) == "token_revoked"


def test_a_program_learns_whose_its_token_is_and_what_it_allows(alice: User, as_alice: APIClient) -> None:
    token, plain = issue_token(alice, "notebook")
    shown = APIClient().get("/api/auth/token", HTTP_AUTHORIZATION=f"Token {plain}").json()
    assert (shown["id"], shown["user_id"], shown["name"]) == (str(token.id), str(alice.pk), "notebook")
    assert shown["scopes"] == ["memories:read", "memories:write", "memories:forget", "converse"]
    assert shown["resource"] is None
    assert plain not in str(shown)


def test_nobody_without_a_token_is_told_of_one(alice: User) -> None:
    in_browser = APIClient()
    assert in_browser.get("/api/auth/token").status_code == 401
    in_browser.force_login(alice)
    assert code_of(in_browser.get("/api/auth/token")) == "not_found"


def test_the_list_holds_live_tokens_only_and_no_secret(alice: User, as_alice: APIClient) -> None:
    revoked, _ = issue_token(alice, "old")
    revoke_tokens(alice, revoked.id)
    rows = as_alice.get("/api/auth/tokens").json()["results"]
    assert [set(row) for row in rows] == [{"id", "name", "created_at", "expires_at", "last_used_at", "withheld_kinds"}]


def test_one_token_is_revoked_by_id_and_only_once(alice: User, as_alice: APIClient) -> None:
    token, plain = issue_token(alice)
    assert as_alice.delete(f"/api/auth/tokens/{token.id}").status_code == 204
    assert code_of(_with(plain).get("/api/users/me")) == "token_revoked"
    assert as_alice.delete(f"/api/auth/tokens/{token.id}").status_code == 404
    assert as_alice.delete(f"/api/auth/tokens/{MISSING}").status_code == 404


def test_all_tokens_go_at_once(alice: User, as_alice: APIClient) -> None:
    issue_token(alice)
    assert as_alice.delete("/api/auth/tokens").status_code == 204
    assert not ApiToken.objects.filter(user=alice, revoked_at=None).exists()
