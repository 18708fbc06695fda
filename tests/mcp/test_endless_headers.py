"""Nobody fills the MCP server's memory with the head of a request, for which no token is asked yet."""

from __future__ import annotations

import socket
from select import select
from urllib.parse import urlsplit

from tests.mcp.conftest import McpServer

LINE = b"x-filler: " + b"a" * 990 + b"\r\n"
ENOUGH = 1_000  # lines, a megabyte; nobody's head is that long
ANSWERED_WITHIN = 20.0  # seconds


def test_a_head_without_an_end_is_refused(mcp_server: McpServer) -> None:
    address = urlsplit(mcp_server.url)
    with socket.create_connection((str(address.hostname), address.port or 80), timeout=ANSWERED_WITHIN) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n")
        assert _is_refused(connection)


def _is_refused(connection: socket.socket) -> bool:
    """Whether the server answers or closes the connection, though the head goes on; sockets keep what it leaves."""
    for _ in range(ENOUGH):
        if select([connection], [], [], 0)[0]:
            return True
        try:
            connection.sendall(LINE)
        except ConnectionError:
            return True
    return bool(select([connection], [], [], ANSWERED_WITHIN)[0])
