"""A program that connects by itself, as an assistant does: it registers, sends its user to the page, changes codes."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.accounts.scopes import ALL_SCOPES

REDIRECT = "https://assistant.example/callback"
RESOURCE = "http://testserver/api"
VERIFIER = "a-verifier-of-forty-three-characters-or-more-it-is"
STATE = "what the program wants to have back"


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def register(**metadata: Any) -> Any:
    """The answer to a registration."""
    given = {"client_name": "Assistant", "redirect_uris": [REDIRECT]} | metadata
    return APIClient().post("/oauth/register", given, format="json")


def browser_of(user: User) -> Client:
    """A browser in which somebody is signed in, and forms need their CSRF token."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@dataclass
class Assistant:
    """A registered program, and the last tokens that it was given."""

    client_id: str = ""
    redirect_uri: str = REDIRECT
    tokens: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client_id = self.client_id or register().json()["client_id"]

    def address(self, **changes: Any) -> str:
        """The address that the program sends its user to; a change of ``None`` leaves a parameter out."""
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
            "scope": " ".join(ALL_SCOPES),
            "state": STATE,
            "resource": RESOURCE,
        } | changes
        given = {name: value for name, value in asked.items() if value is not None}
        return f"/oauth/authorize?{urlencode(given, doseq=True)}"

    def ask(self, user: User, answer: str = "allow", **changes: Any) -> dict[str, str]:
        """What comes back to the program once its user has answered the page."""
        browser, address = browser_of(user), self.address(**changes)
        page = browser.get(address)
        assert page.status_code == 200, page.content
        sent = {"answer": answer, "csrfmiddlewaretoken": browser.cookies["csrftoken"].value}
        return returned(browser.post(address, sent))

    def exchange(self, code: str, **changes: Any) -> Any:
        """The answer to a code that is changed for tokens."""
        return self.request_token(
            grant_type="authorization_code", code=code, redirect_uri=self.redirect_uri, code_verifier=VERIFIER,
            **changes,
        )  # fmt: skip

    def refresh(self, token: str = "", **changes: Any) -> Any:
        """The answer to a refresh token that is changed for new ones."""
        return self.request_token(
            grant_type="refresh_token", refresh_token=token or self.tokens["refresh_token"], **changes
        )

    def request_token(self, **sent: Any) -> Any:
        """The answer to a request of the token endpoint; tokens are kept."""
        given = {"client_id": self.client_id} | sent
        answer = Client().post(
            "/oauth/token",
            urlencode({name: value for name, value in given.items() if value is not None}, doseq=True),
            content_type="application/x-www-form-urlencoded",
        )
        if answer.status_code == 200:
            self.tokens = answer.json()
        return answer

    def connect(self, user: User, **changes: Any) -> APIClient:
        """Be allowed by a user; a client that sends the access token."""
        answer = self.exchange(self.ask(user, **changes)["code"])
        assert answer.status_code == 200, answer.content
        return with_token(self.tokens["access_token"])

    def revoke(self, token: str) -> Any:
        """Give a token back."""
        sent = urlencode({"client_id": self.client_id, "token": token})
        return Client().post("/oauth/revoke", sent, content_type="application/x-www-form-urlencoded")


def with_token(token: str) -> APIClient:
    """A client of the API that sends this token."""
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    client.default_format = "json"
    return client


def returned(answer: Any) -> dict[str, str]:
    """What a redirect to the program tells it."""
    assert answer.status_code == 302, answer.content
    parts = urlsplit(answer["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == REDIRECT
    return {name: values[0] for name, values in parse_qs(parts.query).items()}
