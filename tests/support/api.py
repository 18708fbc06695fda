"""Clients of the API."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.accounts.services import issue_token

MISSING = "01900000-0000-7000-8000-000000000000"  # a well-formed id of nothing


def signed_in(user: User) -> APIClient:
    """A client with a token of the user's; it answers errors as a real server does instead of raising them."""
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Token {issue_token(user)[1]}")
    client.default_format = "json"
    return client


def post(client: APIClient, path: str, body: Any = None, key: str = "") -> Any:
    """POST JSON, under an Idempotency-Key where one is given."""
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(path, body, format="json", headers=headers)


def send(client: Any, method: str, path: str, body: bytes, content_type: str = "application/json") -> Any:
    """Send a body byte for byte."""
    return client.generic(method, path, body, content_type=content_type)


def code_of(response: Any) -> str:
    """The error code of an answer, whose body must have the contract's shape."""
    body = response.json()
    assert set(body) == {"code", "message", "details"}
    assert isinstance(body["details"], dict)
    return str(body["code"])
