"""Sends one POST to a checked IP address: it follows no redirect, uses no proxy, and reads only the status.

The whole exchange ends after ``SECONDS``, however slowly the other side sends.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import Final

from foundation.webhooks.addresses import Destination

SECONDS: Final = 10.0


def post(destination: Destination, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of the answer. Raises ``OSError`` or ``http.client.HTTPException`` where there is none in time."""
    with _connect(destination) as connected, _hanging_up(connected):
        return _exchange(destination, connected, body, headers)


@contextmanager
def _hanging_up(connected: socket.socket) -> Iterator[None]:
    """Shut the connection down when the time is over, and raise ``TimeoutError`` even if part of an answer came."""
    is_over = Event()

    def hang_up() -> None:
        is_over.set()
        with suppress(OSError):
            socket.socket.shutdown(connected, socket.SHUT_RDWR)  # SSLSocket's own takes TLS away from under the reader

    timer = Timer(SECONDS, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if is_over.is_set():
            raise TimeoutError


def _connect(destination: Destination) -> socket.socket:
    """A connected socket before its TLS handshake, so that the time limit can end the handshake too."""
    connected = socket.create_connection((destination.ip, destination.port), SECONDS)
    if not destination.is_tls:
        return connected
    context = ssl.create_default_context()
    return context.wrap_socket(connected, server_hostname=destination.host, do_handshake_on_connect=False)


def _exchange(destination: Destination, connected: socket.socket, body: bytes, headers: Mapping[str, str]) -> int:
    if isinstance(connected, ssl.SSLSocket):
        connected.do_handshake()
    connection = http.client.HTTPConnection(destination.host, destination.port, timeout=SECONDS)
    connection.sock = connected
    try:
        connection.request("POST", destination.path, body, {"Host": destination.host_header, **headers})
        return connection.getresponse().status
    finally:
        connection.close()
