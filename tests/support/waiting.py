"""Waiting for what another process does. Its end says that it never happens, not that the machine is busy."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 150.0
LOOK_SECONDS = 0.05


def wait_for(condition: Callable[[], bool]) -> None:
    """Look until it holds; fail where it never does."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(LOOK_SECONDS)
