"""Hand a primary's place to a standby while its disk is nearly full: ``python3 disk_guard.py``, one on each node.

PostgreSQL stops, and cannot start again, when there is no room for its write-ahead log. Before that it refuses writes
while it looks healthy to Patroni, which therefore lets it be. Reads node.env from the environment, and needs only
Python's own library.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any

LOOK_SECONDS = 0.5
PAUSE_SECONDS = 5.0  # after a request for a switchover, for it to be done
ANSWER_SECONDS = 10.0


class PatroniNode:
    """Patroni's REST API on this node."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._name = environment["PATRONI_NAME"]
        self._address = environment["PATRONI_RESTAPI_CONNECT_ADDRESS"]
        secret = f"{environment['PATRONI_RESTAPI_USERNAME']}:{environment['PATRONI_RESTAPI_PASSWORD']}"
        self._authorization = "Basic " + base64.b64encode(secret.encode()).decode()

    def is_primary(self) -> bool:
        """Whether PostgreSQL here is the primary; a Patroni that does not answer is none."""
        try:
            return self._ask("GET", "/primary")[0] == 200
        except OSError:
            return False

    def step_down(self) -> str:
        """Ask for a switchover to the best standby; Patroni's answer, for the log."""
        try:
            status, answer = self._ask("POST", "/switchover", {"leader": self._name})
        except OSError as error:
            return type(error).__name__
        return f"{status} {answer}"

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, str]:
        connection = HTTPConnection(self._address, timeout=ANSWER_SECONDS)
        try:
            headers = {"Authorization": self._authorization, "Content-Type": "application/json"}
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            return response.status, response.read().decode(errors="replace")
        finally:
            connection.close()


def is_nearly_full(folder: str, least_bytes: int) -> bool:
    """Whether less than that is free on the folder's disk."""
    try:
        return shutil.disk_usage(folder).free < least_bytes
    except FileNotFoundError:  # a node that is being made
        return False


def look(node: PatroniNode, folder: str, least_bytes: int) -> str:
    """Hand the primary's place on if it is time to; Patroni's answer, or nothing where nothing was asked."""
    return node.step_down() if is_nearly_full(folder, least_bytes) and node.is_primary() else ""


def main() -> None:
    """Look until told to end."""
    node = PatroniNode(os.environ)
    folder, least = os.environ["PATRONI_POSTGRESQL_DATA_DIR"], int(os.environ["DISK_GUARD_LEAST_BYTES"])
    while True:
        if answer := look(node, folder, least):
            print(f"The disk of {folder} is nearly full: {answer}", flush=True)
            time.sleep(PAUSE_SECONDS)
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main()
