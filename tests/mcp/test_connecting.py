"""An assistant that knows nothing but the address of ``/mcp`` connects by itself, with the protocol's own client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from asgiref.sync import sync_to_async
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from finclaw.connected_programs import disconnect
from foundation.accounts.models import ConnectedProgram, User
from foundation.database.acting_user import acting_as
from tests.mcp.conftest import McpServer
from tests.support.cast import PASSWORD, allow
from tests.support.coroutines import run_coroutine
from tests.support.oauth import VERIFIER, challenge_of
from tests.support.web_server import START_SECONDS, WebServer

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
REDIRECT = "http://127.0.0.1:4711/callback"


@dataclass
class Memory:
    """What a client keeps: its registration and its tokens."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Reader:
    """Alice before the page, with what came back to the program."""

    returned: str = ""

    async def open(self, address: str) -> None:
        """Sign in and allow what is asked at this address."""
        async with httpx2.AsyncClient(timeout=START_SECONDS, follow_redirects=True) as browser:
            sign_in = await browser.get(address)
            known = {"username": "alice", "password": PASSWORD, "next": str(sign_in.url.params["next"])}
            page = await browser.post(sign_in.url, data=known | _csrf(browser))
            assert str(page.url) == address, page.text
            sent = {"answer": "allow"} | _csrf(browser)
            self.returned = (await browser.post(address, data=sent, follow_redirects=False)).headers["location"]

    async def callback(self) -> AuthorizationCodeResult:
        """What the program finds in the address that it was sent."""
        told = {name: values[0] for name, values in parse_qs(urlsplit(self.returned).query).items()}
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])


def _csrf(browser: httpx2.AsyncClient) -> dict[str, str]:
    return {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}


def post(server: McpServer, token: str) -> httpx2.Response:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}"}
    return httpx2.post(server.url, json=asked, headers=headers)


def test_an_assistant_connects_remembers_and_is_disconnected(mcp_server: McpServer, alice: User) -> None:
    allow(alice)
    memory, reader = Memory(), Reader()
    metadata = OAuthClientMetadata(client_name="Assistant", redirect_uris=[AnyUrl(REDIRECT)])
    provider = OAuthClientProvider(mcp_server.url, metadata, memory, reader.open, reader.callback)

    def end() -> None:
        with acting_as(alice.pk):
            program = ConnectedProgram.objects.get()
        assert (program.name, program.resource) == ("Assistant", mcp_server.url)
        assert disconnect(alice.pk, program.pk, actor_id=alice.pk)

    async def run() -> tuple[Any, Any]:
        async with (
            httpx2.AsyncClient(auth=provider, timeout=START_SECONDS) as http,
            Client(streamable_http_client(mcp_server.url, http_client=http)) as client,
        ):
            kept = await client.call_tool("add_memory", {"text": "I own a vineyard.", "infer": False})
            await sync_to_async(end)()
            return kept, await client.call_tool("get_memories", {})

    kept, refused = run_coroutine(run)
    assert not kept.is_error
    assert refused.is_error
    assert "(token_invalid)" in refused.content[0].text
    assert memory.tokens is not None
    answer = post(mcp_server, memory.tokens.access_token)
    assert answer.status_code == 401
    assert "resource_metadata=" in answer.headers["www-authenticate"]


def test_a_token_for_the_api_is_not_taken_for_the_assistants_server(
    mcp_server: McpServer, web: WebServer, alice: User
) -> None:
    allow(alice)
    reader, registration = Reader(), {"client_name": "Script", "redirect_uris": [REDIRECT]}
    client_id = httpx2.post(f"{web.address}/oauth/register", json=registration).json()["client_id"]
    asked = {
        "response_type": "code", "client_id": client_id, "redirect_uri": REDIRECT, "state": "s",
        "code_challenge": challenge_of(VERIFIER), "code_challenge_method": "S256", "resource": f"{web.address}/api",
    }  # fmt: skip
    run_coroutine(reader.open, str(httpx2.URL(f"{web.address}/oauth/authorize", params=asked)))
    code = run_coroutine(reader.callback).code
    sent = {
        "grant_type": "authorization_code", "client_id": client_id, "code": code, "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
    }  # fmt: skip
    token = httpx2.post(f"{web.address}/oauth/token", data=sent).json()["access_token"]
    bearer = {"Authorization": f"Bearer {token}"}
    assert httpx2.get(f"{web.address}/api/memories", headers=bearer).status_code == 200
    assert post(mcp_server, token).status_code == 401
