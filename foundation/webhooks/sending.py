"""One POST to a destination that was judged: no redirect is followed, no proxy asked, no answer read but its status.

The whole exchange ends after ``SECONDS``, however slowly the other side speaks.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from threading import Timer
from typing import Final

from foundation.webhooks.addresses import Destination

SECONDS: Final = 10.0


def post(destination: Destination, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of the answer. Raises ``OSError`` or ``http.client.HTTPException`` where there is none."""
    connected = socket.create_connection((destination.ip, destination.port), SECONDS)
    hang_up = Timer(SECONDS, _shut_down, (connected,))
    hang_up.daemon = True
    hang_up.start()
    try:
        return _exchange(destination, connected, body, headers)
    finally:
        hang_up.cancel()
        connected.close()


def _exchange(destination: Destination, connected: socket.socket, body: bytes, headers: Mapping[str, str]) -> int:
    connection = http.client.HTTPConnection(destination.host, destination.port, timeout=SECONDS)
    connection.sock = connected
    if destination.is_tls:
        context = ssl.create_default_context()
        connection.sock = context.wrap_socket(connected, server_hostname=destination.host)
    try:
        connection.request("POST", destination.path, body, {"Host": destination.host_header, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def _shut_down(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
