"""Shows the metrics of this process, or of all that share a folder with it, to whoever has METRICS_TOKEN."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.conf import settings
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from foundation.private_files import make_private_folder

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


def metrics_folder(name: str) -> Path:
    """Where the processes of one web server or worker count together.

    In the folder that systemd makes for a service, else in the data folder, which several machines may share.
    """
    return Path(os.environ.get("RUNTIME_DIRECTORY") or settings.DATA_DIR) / f"metrics-{name}"


def empty_metrics_folder(folder: Path) -> None:
    """Make it anew: what the processes before counted is over."""
    shutil.rmtree(folder, ignore_errors=True)
    make_private_folder(folder)


def exposition() -> bytes:
    """The metrics as Prometheus reads them: of all processes that share PROMETHEUS_MULTIPROC_DIR, else of this one."""
    registry: CollectorRegistry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def is_metrics_token(authorization: str) -> bool:
    """Whether a header ``Authorization`` has METRICS_TOKEN as its bearer token."""
    scheme, _, token = authorization.partition(" ")
    is_right = secrets.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    return scheme.lower() == "bearer" and is_right


def serve_worker_metrics(port: int) -> None:
    """Serve ``/metrics`` of a worker that runs without a web process beside it, on this machine's own address alone.

    A thread of the process at the head of the workers answers, for as long as that lives.
    """
    server = make_server("127.0.0.1", port, _answer, handler_class=_QuietHandler)
    Thread(target=server.serve_forever, name="metrics", daemon=True).start()


def _answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    if not is_metrics_token(environ.get("HTTP_AUTHORIZATION", "")):
        start_response("401 Unauthorized", [("Content-Type", "text/plain"), ("WWW-Authenticate", "Bearer")])
        return [b"Send METRICS_TOKEN as a bearer token.\n"]
    start_response("200 OK", [("Content-Type", CONTENT_TYPE_LATEST)])
    return [exposition()]


class _QuietHandler(WSGIRequestHandler):
    """Logs nothing of the requests that come every few seconds."""

    def log_message(self, *_: object) -> None:
        """Be quiet."""
