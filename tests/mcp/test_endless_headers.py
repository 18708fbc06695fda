"""Nobody fills the MCP server's memory with the head of a request, for which no token is asked yet."""

from __future__ import annotations

import socket
from select import select
from urllib.parse import urlsplit

from tests.mcp.conftest import McpServer

LINE = b"x-filler: " + b"a" * 990 + b"\r\n"
ENOUGH = 1_000  # lines, a megabyte; nobody's head is that long


def test_a_head_without_an_end_is_refused(mcp_server: McpServer) -> None:
    address = urlsplit(mcp_server.url)
    with socket.create_connection((str(address.hostname), address.port or 80), timeout=20) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n")
        assert _lines_taken(connection) < ENOUGH


def _lines_taken(connection: socket.socket) -> int:
    """How many lines the server takes before it answers or closes the connection."""
    for taken in range(ENOUGH):
        try:
            connection.sendall(LINE)
            if select([connection], [], [], 0)[0]:
                return taken
        except OSError:
            return taken
    return ENOUGH
