"""Builds the parts of a request: its address, its values and its credentials."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

import httpx2

from finclaw_client.errors import ConfigurationError

DEFAULT_URL: Final = "http://127.0.0.1:8000"
TIMEOUT_SECONDS: Final = 120.0
"""How long the server may send nothing: a slow model takes a while."""


def path(*segments: str) -> str:
    """The segments as one path below ``/api``, with every special character of an id quoted."""
    return "/".join(quote(segment, safe="") for segment in segments)


def path_of(url: str) -> str:
    """The path below ``/api`` and the query of a URL that FinClaw sent; its host is ignored, as it may be wrong."""
    parts = urlsplit(url)
    return parts.path.partition("/api/")[2] + (f"?{parts.query}" if parts.query else "")


def present(values: Mapping[str, object] | None) -> dict[str, Any] | None:
    """The values that are not ``None``; ``None`` where no values are given at all."""
    return None if values is None else {name: value for name, value in values.items() if value is not None}


def api_url(url: str | None) -> str:
    """The address of the API: below this one, else below ``FINCLAW_URL``. Raises ``ConfigurationError``."""
    return server_url(url or os.environ.get("FINCLAW_URL") or DEFAULT_URL) + "/api/"


def server_url(stated: str, setting: str = "FINCLAW_URL") -> str:
    """An address as it was stated, without its last slash and the ``user:password@`` before its host.

    Raises ``ConfigurationError``, whose text names the setting and does not repeat what may hold a password.
    """
    stated = stated.strip().rstrip("/")
    try:
        is_usable = httpx2.URL(stated).scheme in {"http", "https"} and bool(urlsplit(stated).hostname)
    except (ValueError, httpx2.InvalidURL):
        is_usable = False
    if not is_usable:
        raise ConfigurationError(
            f"{setting} is not the address of a server; write one such as https://finclaw.example."
        )
    parts = urlsplit(stated)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def sign_in_headers(token: str | None, user: str | None) -> dict[str, str]:
    """Headers with the token, ``token`` or else ``FINCLAW_TOKEN``, and the user that it acts for.

    Raises ``ConfigurationError``.
    """
    stated = clean_token(token or os.environ.get("FINCLAW_TOKEN") or "")
    if not stated:
        raise ConfigurationError("No token: set FINCLAW_TOKEN, or give one. FinClaw's page Settings makes them.")
    if user and not _is_printable(user):
        raise ConfigurationError("The user is named by an id of printable ASCII characters.")
    return {"Authorization": f"Bearer {stated}"} | ({"X-FinClaw-User": user} if user else {})


def clean_token(stated: str) -> str:
    """A token without the blanks and line breaks around it.

    Raises ``ConfigurationError`` for one with characters that no token has, without repeating it.
    """
    token = stated.strip()
    if not _is_printable(token) or " " in token:
        raise ConfigurationError("The token (FINCLAW_TOKEN) holds a character that no token has; copy the token again.")
    return token


def _is_printable(value: str) -> bool:
    return value.isascii() and value.isprintable()
