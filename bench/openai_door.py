"""What a turn through ``/v1/chat/completions`` takes beside the same turn through ``/api``, in one interleaved run.

    python -m bench.openai_door

No model answers: the offline one does, at once. The program sends the whole history each time, and no header.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, Final

from bench.report import publish
from bench.runner import measured_database

TURNS: Final = 80
WARM_UP: Final = 10
CHAT_TURNS: Final = 10
MESSAGE: Final = "I read about bonds of month {} in the morning, and then it rained."


def measure() -> dict[str, dict[str, float]]:
    """Milliseconds of a turn through each door, after a warm-up."""
    from django.test import Client

    from consent.services import grant_consent
    from foundation.accounts.models import User
    from foundation.accounts.services import issue_token
    from foundation.database.acting_user import acting_as
    from foundation.personal_data import ConsentScope
    from memory.evaluation.retrieval.metrics import percentile

    person = User.objects.create_user(username="reader", password=None, display_name="Reader")
    with acting_as(person.pk):
        grant_consent(person, tuple(ConsentScope), source="command")
    client = Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {issue_token(person)[1]}"})
    plain = Client(SERVER_NAME="localhost", headers={"Authorization": f"Token {issue_token(person)[1]}"})
    doors: dict[str, list[float]] = {"/api": [], "/v1": []}
    session, history = "", list[dict[str, str]]()
    for number in range(TURNS):
        if number % CHAT_TURNS == 0:
            session, history = _post(plain, "/api/sessions", {})[1]["session_id"], []
        message = MESSAGE.format(number)
        doors["/api"].append(_post(plain, f"/api/sessions/{session}/messages", {"content": message})[0])
        history.append({"role": "user", "content": message})
        taken, answer = _post(client, "/v1/chat/completions", {"model": "finclaw", "messages": history})
        history.append({"role": "assistant", "content": answer["choices"][0]["message"]["content"]})
        doors["/v1"].append(taken)
    return {
        door: {"turns": len(times[WARM_UP:])}
        | {f"p{share} ms": round(percentile(times[WARM_UP:], share), 1) for share in (50, 95)}
        for door, times in doors.items()
    }


def _post(client: Any, path: str, body: dict[str, Any]) -> tuple[float, Any]:
    from django.db import connection

    connection.close()  # a request begins without a connection
    started = perf_counter()
    answer = client.post(path, body, content_type="application/json")
    taken = (perf_counter() - started) * 1000
    if answer.status_code >= 300:
        raise RuntimeError(answer.content.decode())
    return taken, answer.json()


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    with measured_database({"FINCLAW_PROCESS": "web", "RATE_LIMIT_USER": "100000/min"}):
        figures = measure()
    publish("openai_door", "A turn through OpenAI's protocol, beside the same through the API", figures)


if __name__ == "__main__":
    main()
