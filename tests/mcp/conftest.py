from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from django.conf import settings
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.support.coroutines import run_coroutine
from tests.support.ports import free_port
from tests.support.web_server import HOST, START_SECONDS, WebServer, running_web_server

CLIENTS = os.pathsep.join(str(settings.BASE_DIR / "clients" / name) for name in ("mcp", "python"))


@dataclass(frozen=True)
class McpServer:
    """The server over Streamable HTTP, in a process of its own."""

    url: str

    @asynccontextmanager
    async def client(self, token: str, **options: Any) -> AsyncIterator[Client]:
        """A client of the official SDK, signed in by this token."""
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=START_SECONDS) as http,
            Client(streamable_http_client(self.url, http_client=http), **options) as client,
        ):
            yield client


def environment(web: WebServer, **more: str) -> dict[str, str]:
    """The environment of a process of the server."""
    return os.environ | {"PYTHONPATH": CLIENTS, "FINCLAW_URL": web.address} | more


@pytest.fixture(scope="package")
def mcp_port() -> int:
    return free_port()


@pytest.fixture(scope="package")
def web(django_db_setup: None, mcp_port: int) -> Iterator[WebServer]:
    with running_web_server(MCP_PORT=str(mcp_port)) as running:
        yield running


@pytest.fixture(scope="package")
def mcp_server(web: WebServer, mcp_port: int) -> Iterator[McpServer]:
    process = subprocess.Popen(
        [sys.executable, "-m", "finclaw_mcp", "--http"],
        env=environment(web, MCP_PORT=str(mcp_port)),
        cwd=settings.BASE_DIR,
    )
    try:
        _wait_until_live(process, f"http://{HOST}:{mcp_port}/health/live")
        yield McpServer(f"http://{HOST}:{mcp_port}/mcp")
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def _wait_until_live(process: subprocess.Popen[bytes], address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(httpx2.HTTPError):
            if httpx2.get(address).is_success:
                return
        time.sleep(0.05)
    raise AssertionError("the MCP server does not become live")


def use(connection: AbstractAsyncContextManager[Client], *steps: Callable[[Client], Awaitable[Any]]) -> list[Any]:
    """What these steps answered, one after the other, over one connection."""

    async def run() -> list[Any]:
        async with connection as client:
            return [await step(client) for step in steps]

    return run_coroutine(run)


def call(name: str, **arguments: Any) -> Callable[[Client], Awaitable[CallToolResult]]:
    """A step that calls a tool."""
    return lambda client: client.call_tool(name, arguments)


def result_of(answer: CallToolResult) -> dict[str, Any]:
    """What a tool answered."""
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


def refusal_of(answer: CallToolResult) -> str:
    """The words in which a tool refused."""
    assert answer.is_error
    return str(getattr(answer.content[0], "text", ""))
