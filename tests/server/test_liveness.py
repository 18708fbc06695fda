"""One process that computes without a pause, or hangs in a call, does not silence the others: they take its probes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil
import pytest

from tests.support.web_server import METRICS_TOKEN, PATIENCE_SECONDS, WebServer, running_web_server

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
PROBES = 10


@contextmanager
def _hanging(process: psutil.Process) -> Iterator[None]:
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def _statuses(server: WebServer, path: str) -> set[int]:
    """Of several probes, each on a connection of its own, as an orchestrator's are."""
    headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    return {
        httpx.get(f"{server.address}{path}", headers=headers, timeout=PATIENCE_SECONDS).status_code
        for _ in range(PROBES)
    }


def test_whichever_process_hangs_the_other_is_heard(django_db_setup: None) -> None:
    with running_web_server(WEB_WORKERS="2") as server:
        one, other = server.process.children()
        for hanging in (one, other):
            with _hanging(hanging):
                assert _statuses(server, "/health/live") == {200}
                assert _statuses(server, "/metrics") == {200}
