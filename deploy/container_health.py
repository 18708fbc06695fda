"""Ends with 0 if the web process of this container answers: what Docker asks of it."""

from __future__ import annotations

import os
import sys
from http.client import HTTPConnection

ANSWER_SECONDS = 4.0


def main() -> int:
    """The exit code."""
    connection = HTTPConnection("127.0.0.1", int(os.environ["PORT"]), timeout=ANSWER_SECONDS)
    try:
        # As from a proxy that speaks HTTPS: everything else is answered with a redirect where HTTPS=true.
        connection.request("GET", "/health/live", headers={"Host": "localhost", "X-Forwarded-Proto": "https"})
        return 0 if connection.getresponse().status == 200 else 1
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main())
