"""How soon a message's line says what it taught: from its POST, to a program's stream and to the page that polls.

    python -m bench.learned_latency --messages 100

The messages are statements in English and Chinese, each of a matter of its own; requests run through the product's own
views in this process, what they queue through a real ``qcluster`` with the offline analyzer. The time to the answer's
end is told beside it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.report import publish
from bench.runner import measured_database, parse_arguments, require_none

if TYPE_CHECKING:
    from django.test import Client

    from foundation.accounts.models import User

LIMIT_MS = 1_500.0
MESSAGES_A_CHAT = 20
WARM_UP = 6
PAUSE_SECONDS = 0.3  # nobody writes faster
PATIENCE_SECONDS = 60.0
HOST = "localhost"
_SAYINGS = ("I follow the coin C{n}X.", "我关注代号为D{n}Y的股票。")
Figures = dict[str, dict[str, float]]


class Times(NamedTuple):
    """Milliseconds from sending a message to the end of its answer, and to its line; None where it taught nothing."""

    answered: float
    learned: float | None


def measure(database: str, messages: int, workers: int) -> Figures:
    """Percentiles for a program that reads the stream, and for the page."""
    from bench.people import somebody
    from bench.qcluster import qcluster

    figures: Figures = {}
    ways: dict[str, Callable[[Client, str, str], Times]] = {"stream of a program": _streamed, "page": _polled}
    with qcluster(database, workers=workers, BENCH_HANDLERS="finclaw.jobs.HANDLERS"):
        for label, how in ways.items():
            person, _permit = somebody(f"taught-{label.split()[0]}")
            found = list(_all(person, how, messages + WARM_UP))[WARM_UP:]
            figures[label] = _percentiles(found)
    return figures


def _all(person: User, how: Callable[[Client, str, str], Times], count: int) -> Iterator[Times]:
    browser = _browser(person)
    for number, saying in enumerate(islice(cycle(_SAYINGS), count), 1):
        if number % MESSAGES_A_CHAT == 1:
            session_id = _new_session(person)
        yield how(browser, session_id, saying.format(n=number))
        time.sleep(PAUSE_SECONDS)


def _browser(person: User) -> Client:
    from django.test import Client

    browser = Client(headers={"host": HOST})
    browser.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return browser


def _new_session(person: User) -> str:
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    with acting_as(person.pk):
        return str(start_session(permit_for(person), person).pk)


def _streamed(browser: Client, session_id: str, text: str) -> Times:
    """By the events of the API's stream. Raises ``KeyError`` where it ends without what was learned."""
    began = time.perf_counter()
    answer: Any = browser.post(
        f"/api/sessions/{session_id}/messages?stream=true",
        {"content": text},
        content_type="application/json",
        headers={"accept": "text/event-stream"},
    )
    at = {frame.split("\n", 1)[0]: (_since(began), frame) for frame in map(bytes.decode, answer.streaming_content)}
    learned_at, frame = at["event: learned"]
    taught = json.loads(frame.split("data: ", 1)[1])["learned"]
    return Times(at["event: done"][0], learned_at if taught else None)


def _polled(browser: Client, session_id: str, text: str) -> Times:
    """By what the page asks for, as long after each answer as the page waits."""
    began = time.perf_counter()
    answer: Any = browser.post(f"/chat/{session_id}/send/?stream=true", {"content": text})
    last = b"".join(answer.streaming_content).decode().strip().split("\n\n")[-1]
    answered = _since(began)
    html = str(json.loads(last.split("data: ", 1)[1])["learned"])
    while "learned__line" not in html:
        found = re.search(r'hx-get="([^"]+)" hx-trigger="load delay:(\d+)ms"', html)
        if found is None:
            return Times(answered, None)
        time.sleep(int(found[2]) / 1000)
        html = browser.get(found[1].replace("&amp;", "&")).content.decode()
    return Times(answered, _since(began))


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _percentiles(found: list[Times]) -> dict[str, float]:
    from memory.evaluation.retrieval.metrics import percentile

    lines = [message_times.learned for message_times in found if message_times.learned is not None]
    ranks: dict[str, float] = {"messages": len(found), "taught nothing": len(found) - len(lines)}
    for rank in (50, 95):
        ranks[f"answered p{rank} ms"] = round(percentile([message_times.answered for message_times in found], rank))
        ranks[f"line p{rank} ms"] = round(percentile(lines, rank))
    return ranks


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where the limit is missed."""
    arguments = parse_arguments(__doc__, messages=100, workers=2)
    environment = {
        "RATE_LIMIT_USER": "100000/min",
        "LEARNED_WAIT_SECONDS": str(PATIENCE_SECONDS),
        "LOG_LEVEL": "ERROR",
    }
    with measured_database(environment) as database:
        figures = measure(database, arguments.messages, arguments.workers)
    publish("learned_latency", f"From a message to its line, load {os.getloadavg()[0]:.1f}", figures)
    require_none(label for label, row in figures.items() if row["line p95 ms"] > LIMIT_MS)


if __name__ == "__main__":
    main()
