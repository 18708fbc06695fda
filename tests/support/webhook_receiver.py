"""A server that webhooks are sent to: it keeps what it was told, and answers as the test says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


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
