"""What slow clients cost everybody else: turns beside two hundred connections of each kind, against turns without them.

    python -m bench.slow_clients --connections 200 --seconds 40

The slow ones have a process of their own, and each that is closed comes back at once. Before each kind, turns are
measured without any, so that both see the same noise of the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import socket
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from statistics import quantiles

import httpx2

from bench.product import Product, running_product
from bench.report import publish

TALKERS = 4
DRIP_SECONDS = 0.5
MESSAGES = ("I follow BTC.", "What do I follow?", "I prefer short answers.", "How do I like answers?")
_GET = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
_SCRIPT = b"/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"  # larger than any buffer on the way


@dataclass(frozen=True)
class LoadKind:
    """A way to be slow: what is sent at once, what is sent again and again, and when the server closes by default."""

    opening: bytes
    drip: bytes
    deadline_seconds: float
    reads: bool = True


KINDS: Mapping[str, LoadKind] = {
    "half a header": LoadKind(_GET + b"X-Slow: ", b"x", 10),
    "half a body": LoadKind(
        b"POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b'Content-Length: 900000\r\n\r\n{"username": "',
        b"x",
        30,
    ),
    "silence": LoadKind(b"", b"", 10),
    "idle after an answer": LoadKind(_GET + b"\r\n", b"", 15),
    "answer not read": LoadKind(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % _SCRIPT * 20, b"\r\n", 15, reads=False),
}


class SlowConnection:
    """One connection of a kind."""

    def __init__(self, port: int, kind: LoadKind) -> None:
        self._kind = kind
        self._socket = socket.socket()
        if not kind.reads:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(("127.0.0.1", port))
        self._socket.setblocking(False)
        self._socket.send(kind.opening)
        self.began = time.monotonic()

    def go_on(self) -> bool:
        """Send a little more; whether the server has closed the connection."""
        try:
            self._socket.send(self._kind.drip)
            while self._kind.reads and self._socket.recv(65_536):
                pass
        except BlockingIOError:
            return False
        except OSError:
            return True
        return self._kind.reads

    def close(self) -> None:
        """Leave."""
        self._socket.close()


def attack(port: int, name: str, connections: int, seconds: float) -> list[float]:
    """Hold so many slow connections for so long; how many seconds each lived that the server closed."""
    kind = KINDS[name]
    held = [SlowConnection(port, kind) for _ in range(connections)]
    lived = []
    until = time.monotonic() + seconds
    while (now := time.monotonic()) < until:
        for place, slow in enumerate(held):
            if slow.go_on():
                lived.append(time.monotonic() - slow.began)
                slow.close()
                held[place] = SlowConnection(port, kind)
        time.sleep(max(0.0, DRIP_SECONDS - (time.monotonic() - now)))
    for slow in held:
        slow.close()
    return lived


def talk(clients: Sequence[httpx2.Client], seconds: float) -> list[float]:
    """Milliseconds of each turn of the talkers within so many seconds."""
    with ThreadPoolExecutor(len(clients)) as talkers:
        parts = list(talkers.map(lambda client: _talk_alone(client, seconds), clients))
    return [turn for part in parts for turn in part]


def _talk_alone(client: httpx2.Client, seconds: float) -> list[float]:
    turns = []
    session = client.post("sessions", json={}).raise_for_status().json()["session_id"]
    until = time.monotonic() + seconds
    for number in count():
        if time.monotonic() > until:
            break
        began = time.perf_counter()
        content = {"content": MESSAGES[number % len(MESSAGES)]}
        client.post(f"sessions/{session}/messages", json=content).raise_for_status()
        turns.append((time.perf_counter() - began) * 1000)
    return turns


def measure(product: Product, connections: int, seconds: float) -> dict[str, dict[str, float]]:
    """A row a kind."""
    clients = [product.client() for _ in range(TALKERS)]
    talk(clients, 5)  # the first requests load what they need
    figures = {}
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as attackers:
        for name, kind in KINDS.items():
            alone = talk(clients, seconds / 2)
            attacking = attackers.submit(attack, product.port, name, connections, seconds)
            beside = talk(clients, seconds - 2)
            lived = attacking.result()
            figures[name] = _row(alone, beside, lived, kind.deadline_seconds)
    return figures


def _row(alone: Sequence[float], beside: Sequence[float], lived: Sequence[float], deadline: float) -> dict[str, float]:
    before, after = quantiles(alone, n=20)[-1], quantiles(beside, n=20)[-1]
    return {
        "turns": len(beside), "p95 ms alone": round(before, 1), "p95 ms beside": round(after, 1),
        "times": round(after / before, 2), "closed": len(lived), "deadline s": deadline,
        "longest s": round(max(lived, default=float("nan")), 1),
    }  # fmt: skip


def main() -> None:
    """Run the product, print the table, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=40.0)
    given = parser.parse_args()
    with running_product() as product:
        figures = measure(product, given.connections, given.seconds)
    publish("slow_clients", f"Turns beside {given.connections} slow connections", figures)


if __name__ == "__main__":
    main()
