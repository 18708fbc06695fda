"""How a request is written: its address, its values, who signs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

from finclaw_client.errors import ConfigurationError

DEFAULT_URL: Final = "http://127.0.0.1:8000"
TIMEOUT_SECONDS: Final = 120.0
"""How long nothing may come: a slow model takes a while."""


def path(*segments: str) -> str:
    """The segments as one path below ``/api``, whatever signs an id holds."""
    return "/".join(quote(segment, safe="") for segment in segments)


def present(values: Mapping[str, object] | None) -> dict[str, Any] | None:
    """The values that are stated; ``None`` of nothing."""
    return None if values is None else {name: value for name, value in values.items() if value is not None}


def api_url(url: str | None) -> str:
    """The address of the API: below this one, else below ``FINCLAW_URL``. Raises ``ConfigurationError``."""
    stated = (url or os.environ.get("FINCLAW_URL") or DEFAULT_URL).rstrip("/")
    if urlsplit(stated).scheme not in {"http", "https"}:
        raise ConfigurationError(f"The address is {stated!r}; write one such as https://finclaw.example.")
    return f"{stated}/api/"


def sign_in_headers(token: str | None, user: str | None) -> dict[str, str]:
    """Whose request it is, by ``token``, else ``FINCLAW_TOKEN``, and for whom. Raises ``ConfigurationError``."""
    stated = token or os.environ.get("FINCLAW_TOKEN")
    if not stated:
        raise ConfigurationError("No token: set FINCLAW_TOKEN, or give one. FinClaw's page Settings makes them.")
    return {"Authorization": f"Bearer {stated}"} | ({"X-FinClaw-User": user} if user else {})
