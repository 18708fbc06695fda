"""Calls FinClaw's API with the token that the caller of this server sent."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

import httpx2
from finclaw_client import AsyncFinClaw, ClientError, Retries, UnreachableError

from finclaw_mcp.known_tokens import KnownTokens

TIMEOUT_SECONDS: Final = 30.0
RETRIES: Final = Retries(longest_wait=2.0)
"""Short waits, so that an assistant soon learns that FinClaw is busy."""
UNAUTHENTICATED: Final = 401
FORWARDED: Final = ("x-forwarded-for", "x-forwarded-proto")
"""Headers of a proxy before this server, which are passed on; FinClaw's own settings say how far it trusts them."""


@dataclass(frozen=True)
class Caller:
    """On whose behalf the current request is made: an access token, and the proxy's headers about the connection."""

    token: str = ""
    forwarded: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, headers: Mapping[str, str], token: str = "") -> Caller:
        """The caller behind these headers; ``token`` where they hold none."""
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        forwarded = {name: headers[name] for name in FORWARDED if name in headers}
        return cls(sent.strip() if scheme.lower() == "bearer" else token, forwarded)


_caller: ContextVar[Caller] = ContextVar("caller", default=Caller())  # noqa: B039  it is frozen


@contextmanager
def acting_for(caller: Caller) -> Iterator[None]:
    """Make the requests of this block in the caller's name."""
    was = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(was)


class SignedByCaller(httpx2.Auth):
    """Adds the current caller's token to each request, and forgets a token that the API refuses."""

    def __init__(self, known_tokens: KnownTokens) -> None:
        self._known_tokens = known_tokens

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        caller = _caller.get()
        request.headers.update({"Authorization": f"Token {caller.token}", "User-Agent": "finclaw-mcp"})
        request.headers.update(caller.forwarded)
        response = yield request
        if response.status_code == UNAUTHENTICATED:
            self._known_tokens.forget(caller.token)


class FinClawApi(AsyncFinClaw):
    """The API at one address; all callers share its connections."""

    def __init__(self, url: str) -> None:
        self.known_tokens = KnownTokens()
        auth = SignedByCaller(self.known_tokens)
        super().__init__(url, auth=auth, retries=RETRIES, timeout=TIMEOUT_SECONDS)


def refusal_text(error: ClientError) -> str:
    """The text about an error for an assistant: the API's message, which says what to do, and its code."""
    if isinstance(error, UnreachableError):
        return "FinClaw cannot be reached at the moment; try again in a little while. (service_unavailable)"
    return str(error)
