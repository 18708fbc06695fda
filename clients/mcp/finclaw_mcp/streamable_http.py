"""Serves MCP over Streamable HTTP: finds out whose token a request carries, and runs the process that listens."""

from __future__ import annotations

import gc
from datetime import datetime
from typing import Final

import uvicorn
from finclaw_client import ApiError, ClientError
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from finclaw_mcp.api import Caller, FinClawApi, acting_for, refusal_text
from finclaw_mcp.configuration import Configuration
from finclaw_mcp.server import MemoryServer

MAX_BODY_BYTES: Final = 1_048_576
MAX_SESSIONS: Final = 1_000
STOPPING_SECONDS: Final = 30
UNAVAILABLE: Final = 503
REFUSED: Final = (401, 403)
"""The token is not valid, or is a service token, which belongs to no single user."""


class ActForCaller:
    """ASGI middleware that makes all calls to the API with the request's own token, also the call that verifies it.

    Where FinClaw does not answer, the request is refused with 503.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            with acting_for(Caller.of(Headers(scope=scope))):
                await self._app(scope, receive, send)
        except ClientError as error:
            refusal = {"error": "temporarily_unavailable", "error_description": refusal_text(error)}
            await JSONResponse(refusal, UNAVAILABLE, {"Retry-After": "5"})(scope, receive, send)


class ApiTokenVerifier:
    """Asks the API whose token it is, unless the answer is still in ``KnownTokens``."""

    def __init__(self, api: FinClawApi, resource_url: str) -> None:
        self._api, self._resource_url = api, resource_url

    async def verify_token(self, token: str) -> AccessToken | None:
        """The token as the API knows it; ``None`` for one that is not valid here."""
        said = self._api.known_tokens.get(token)
        if said is None:
            try:
                said = await self._api.token()
            except ApiError as error:
                if error.status not in REFUSED:
                    raise
                return None
            self._api.known_tokens.add(token, said)
        return AccessToken(
            token=token,
            client_id=said["id"],
            scopes=list[str](said["scopes"]),
            expires_at=_seconds(said["expires_at"]),
            resource=said["resource"] or self._resource_url,
            subject=said["user_id"],
        )


def _seconds(moment: str | None) -> int | None:
    return None if moment is None else int(datetime.fromisoformat(moment).timestamp())


def build_app(configuration: Configuration, api: FinClawApi) -> Starlette:
    """The ASGI application: ``/mcp``, the metadata of the protected resource, and ``/health/live``."""
    server = MemoryServer(
        api,
        token_verifier=ApiTokenVerifier(api, configuration.resource_url),
        auth=AuthSettings.model_validate(  # from strings: ``AnyHttpUrl`` appends a slash, which changes the issuer
            {
                "issuer_url": configuration.issuer_url,
                "resource_server_url": configuration.resource_url,
                "validate_token_resource": True,
            }
        ),
    )
    server.custom_route("/health/live", methods=["GET"])(_live)
    app = server.streamable_http_app(
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_SESSIONS,
        transport_security=TransportSecuritySettings(
            allowed_hosts=configuration.allowed_hosts, allowed_origins=configuration.allowed_origins
        ),
    )
    app.add_middleware(ActForCaller)
    return app


async def _live(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def serve(configuration: Configuration) -> None:
    """Listen until SIGTERM; requests under way are finished within ``STOPPING_SECONDS``."""
    app = build_app(configuration, FinClawApi(configuration.api_url))
    gc.collect()
    gc.freeze()  # what is loaded now is needed to the end, so no collection need look through it again
    uvicorn.run(
        app, host=configuration.host, port=configuration.port, log_level="warning", access_log=False,
        timeout_graceful_shutdown=STOPPING_SECONDS, http="h11",  # the parser in C takes headers of any length
    )  # fmt: skip
