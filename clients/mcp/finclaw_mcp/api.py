"""Requests to FinClaw's HTTP API in the name of whoever's token the caller sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from mcp.server.mcpserver.exceptions import ToolError

from finclaw_mcp.known_tokens import KnownTokens

TIMEOUT_SECONDS: Final = 30.0
UNAUTHENTICATED: Final = 401
FORWARDED: Final = ("x-forwarded-for", "x-forwarded-proto")
"""Headers of a proxy before this server, which are passed on: FinClaw believes them as far as it is told to."""


@dataclass(frozen=True)
class Caller:
    """In whose name the request under way is made: an access token, and what a proxy said of the connection."""

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


class ApiError(ToolError):
    """What the API refused: its message, which says what to do, and its code."""

    def __init__(self, message: str, code: str, status: int) -> None:
        super().__init__(f"{message} ({code})")
        self.code, self.status = code, status


class FinClawApi:
    """The API at one address, asked in the name of whoever is acted for; connections are kept and shared."""

    def __init__(self, url: str) -> None:
        self.known_tokens = KnownTokens()
        self._client = httpx2.AsyncClient(
            base_url=f"{url}/api/",
            timeout=TIMEOUT_SECONDS,
            headers={"User-Agent": "finclaw-mcp"},
        )

    async def get(self, path: str, **query: object) -> Any:
        """The answer to a GET; parameters that are ``None`` are left out. Raises ``ApiError``."""
        return await self.request("GET", path, query=query)

    async def send(self, method: str, path: str, **body: object) -> Any:
        """The answer to a request with a body; fields that are ``None`` are left out. Raises ``ApiError``."""
        return await self.request(method, path, body=body)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        """The decoded answer to one request, made with the caller's token. Raises ``ApiError``."""
        caller = _caller.get()
        try:
            response = await self._client.request(
                method, path, params=_present(query), json=_present(body),
                headers={"Authorization": f"Token {caller.token}", **caller.forwarded},
            )  # fmt: skip
        except httpx2.HTTPError as error:
            raise ApiError(
                "FinClaw cannot be reached at the moment; try again in a little while.", "service_unavailable", 503
            ) from error
        if response.status_code == UNAUTHENTICATED:
            self.known_tokens.forget(caller.token)
        if response.is_error:
            raise _refusal(response)
        return response.json() if response.content else None


def _present(values: Mapping[str, object] | None) -> Any:
    return None if values is None else {name: value for name, value in values.items() if value is not None}


def _refusal(response: httpx2.Response) -> ApiError:
    try:
        answer = response.json()
    except ValueError:
        answer = {}
    message = answer.get("message") or f"FinClaw answered with status {response.status_code}."
    details = "; ".join(f"{field}: {' '.join(map(str, said))}" for field, said in _fields(answer.get("details")))
    return ApiError(f"{message} {details}".strip(), answer.get("code", "internal_error"), response.status_code)


def _fields(details: object) -> list[tuple[str, list[object]]]:
    """The fields of a validation error, each with what is wrong with it."""
    if not isinstance(details, dict):
        return []
    return [(str(name), said) for name, said in details.items() if isinstance(said, list)]
