"""A server that webhooks are sent to: it keeps what it was told, and answers as the test says."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_DRIPS: Final = 100
_DRIP_SECONDS: Final = 0.05


@dataclass
class WebhookReceiver:
    """``statuses`` are answered in turn, then 204; ``told`` are the requests, each as headers and body."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    told: list[tuple[Message, bytes]] = field(default_factory=list)


@contextmanager
def receiving() -> Iterator[WebhookReceiver]:
    """A receiver on loopback."""
    receiver = WebhookReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.told.append((self.headers, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
            self.send_header("Location", receiver.url)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def dripping(certificate: Path) -> Iterator[str]:
    """The address of a receiver that answers 204 over TLS, a byte of its status line at a time, for five seconds."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_drip, args=(listening, context), daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}/"
        thread.join()


def _drip(listening: socket.socket, context: ssl.SSLContext) -> None:
    gone = threading.Event()
    with suppress(OSError), context.wrap_socket(listening.accept()[0], server_side=True) as connected:
        for byte in b"HTTP/1.1 204 " + b"x" * _DRIPS:
            connected.sendall(bytes([byte]))
            gone.wait(_DRIP_SECONDS)
        connected.sendall(b"\r\n\r\n")


def write_certificate(path: Path) -> None:
    """A key and a certificate of 127.0.0.1 that it signed itself, in one file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    dates = (now - timedelta(days=1), now + timedelta(days=1))
    unsigned = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), *dates)
    signed = unsigned.add_extension(address, critical=False).sign(key, hashes.SHA256())
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(key.private_bytes(*plain) + signed.public_bytes(serialization.Encoding.PEM))
