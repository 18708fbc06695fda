"""What ``GET /api/context`` takes of a program that makes its own prompts, from the request to its answer.

    python -m bench.context_blocks --data FOLDER

The person holds one LoCoMo conversation, about 600 turns, and what was learned from it, and asks its questions.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.data import load_locomo
from bench.report import publish
from bench.runner import measured_database, parse_arguments
from bench.turn_overhead import TURNS, WARM_UP, import_conversation

if TYPE_CHECKING:
    from memory.evaluation.retrieval.datasets import DatasetMemory

BUDGETS = (500, 2_000)


def measure(memory: DatasetMemory) -> dict[str, dict[str, float]]:
    """Milliseconds of a request for each budget in tokens, after a warm-up."""
    from django.test import Client

    from foundation.accounts.services import issue_token
    from memory.evaluation.retrieval.metrics import percentile

    person = import_conversation(memory)
    client = Client(SERVER_NAME="localhost", headers={"Authorization": f"Token {issue_token(person)[1]}"})
    asked = [question.text for question in memory.questions][: WARM_UP + TURNS]
    found = {}
    for tokens in BUDGETS:
        times = [_timed_request(client, text, tokens) for text in asked][WARM_UP:]
        found[f"{tokens} tokens"] = {
            "requests": len(times), "p50 ms": round(percentile(times, 50), 1), "p95 ms": round(percentile(times, 95), 1)
        }  # fmt: skip
    return found


def _timed_request(client: Any, query: str, tokens: int) -> float:
    from django.db import connection

    connection.close()  # a request begins without a connection
    started = perf_counter()
    answer = client.get("/api/context", {"query": query, "tokens": tokens})
    taken = (perf_counter() - started) * 1000
    if answer.status_code != 200:
        raise RuntimeError(answer.content.decode())
    return taken


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    document = load_locomo(parse_arguments(__doc__, data=True).data)
    with measured_database({"FINCLAW_PROCESS": "web", "RATE_LIMIT_USER": "100000/min"}):
        from memory.evaluation.retrieval.datasets import read_dataset

        memory = max(read_dataset(document, "locomo"), key=lambda memory: sum(len(part.turns) for part in memory.parts))
        figures = measure(memory)
    publish("context_blocks", "A context block, from request to answer", figures)


if __name__ == "__main__":
    main()
