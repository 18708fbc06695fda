"""``python -m bench.load.live_probe PORT``: ask ``/health/live`` ten times a second until standard input ends.

In a process of its own, so that its times are the server's and not those of the talkers beside it; each request opens
a connection, as an orchestrator's does. Prints its times in milliseconds as JSON. While an answer is awaited, the
requests that were due meanwhile count as well, each with what it would have waited.
"""

from __future__ import annotations

import json
import select
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from typing import Final

INTERVAL_SECONDS: Final = 0.1
PATIENCE_SECONDS: Final = 60.0
NO_ANSWER: Final = -1.0
"""What stands for a request that got no answer or another than 200."""


def probe(port: int) -> float:
    """Milliseconds to the answer, ``NO_ANSWER`` without one."""
    began = time.perf_counter()
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", "/health/live")
        answered = connection.getresponse().status
    except (OSError, HTTPException):
        return NO_ANSWER
    finally:
        connection.close()
    return (time.perf_counter() - began) * 1000 if answered == 200 else NO_ANSWER


def with_those_due(took_ms: float) -> Iterator[float]:
    """What took so long, and what would have been asked every ``INTERVAL_SECONDS`` meanwhile."""
    yield took_ms
    while (took_ms := took_ms - INTERVAL_SECONDS * 1000) > 0:
        yield took_ms


def main() -> None:
    port = int(sys.argv[1])
    times: list[float] = []
    while True:
        began = time.monotonic()
        times += with_those_due(probe(port))
        rest = max(0.0, INTERVAL_SECONDS - (time.monotonic() - began))
        if select.select([sys.stdin], [], [], rest)[0]:
            break
    print(json.dumps([round(each, 1) for each in times]))


if __name__ == "__main__":
    main()
