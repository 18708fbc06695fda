"""What FinClaw adds to a model's answer: a whole turn with a model that answers at once.

    python -m bench.turn_overhead --data FOLDER

As in a web process: connections come from a pool and go back to it. The person holds one LoCoMo conversation,
about 600 turns, and what was learned from it.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench.data import load_locomo
from bench.report import publish
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:
    from foundation.accounts.models import User
    from foundation.llm import Prompt, Reply
    from memory.evaluation.retrieval.datasets import DatasetMemory

TURNS = 200
WARM_UP = 10
QUESTIONS_A_SESSION = 20
_STRUCTURED = {
    "understanding": json.dumps(
        {
            "intent_type": "knowledge_question", "confidence": 0.9, "action_required": False,
            "extracted_entities": {}, "context_hints": [], "queries": [],
        }
    ),
}  # fmt: skip


class InstantModel:
    """Answers everything at once, and every question of a turn with a valid answer."""

    is_offline = False

    def call(
        self, prompt: Prompt, model_id: str, content_parts: Sequence[Mapping[str, Any]] | None = None, *,
        kind: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int | None = None, tools: Any = None,
    ) -> Reply:  # fmt: skip
        from foundation.llm import Reply, TokenUsage

        text = "Noted." if schema is None else _STRUCTURED[schema["title"]]
        return Reply(text, model_id, TokenUsage.estimated(prompt, text))

    def stream(
        self, prompt: Prompt, model_id: str, content_parts: Sequence[Mapping[str, Any]] | None = None, *,
        kind: str = "", max_tokens: int | None = None, tools: Any = None,
    ) -> Generator[str, None, Reply]:  # fmt: skip
        reply = self.call(prompt, model_id)
        yield reply.text
        return reply


def measure(memory: DatasetMemory) -> dict[str, dict[str, float]]:
    """Milliseconds of ``turn.reply`` over the conversation's questions, after a warm-up."""
    from memory.evaluation.retrieval.metrics import percentile

    person = import_conversation(memory)
    asked = [question.text for question in memory.questions][: WARM_UP + TURNS]
    with patch("finclaw.brain.turn.configured_model", lambda *_: InstantModel()):
        times = [_timed_turn(person, number, text) for number, text in enumerate(asked)][WARM_UP:]
    return {
        "turn without its model": {
            "turns": len(times), "p50 ms": round(percentile(times, 50), 1), "p95 ms": round(percentile(times, 95), 1)
        }
    }  # fmt: skip


def import_conversation(memory: DatasetMemory) -> User:
    """The conversation as one person's own: private, learned from."""
    from foundation.outbox.tasks import drain
    from memory.importing.imported_people import people_of
    from memory.importing.services import ConversationImporter

    name = memory.people[0]
    importer = ConversationImporter()
    for part in memory.parts:
        turns = tuple(replace(turn, person=name) for turn in part.turns)
        importer.add(replace(part, people=(name,), turns=turns))
    drain()
    return people_of(memory.name, (name,)).host


_sessions: dict[int, Any] = {}


def _timed_turn(person: User, number: int, text: str) -> float:
    from django.db import connection

    from finclaw.brain import turn
    from finclaw.brain.types import TurnRequest

    session_id = _session(person, number // QUESTIONS_A_SESSION)
    connection.close()  # a request begins without a connection
    started = perf_counter()
    turn.reply(person, TurnRequest(session_id, ({"type": "text", "text": text},)))
    return (perf_counter() - started) * 1000


def _session(person: User, number: int) -> Any:
    from foundation.database.acting_user import acting_as
    from memory.importing.imported_people import permit_of
    from memory.services.sessions import start_session

    if number not in _sessions:
        permit = permit_of(person)
        with acting_as(person.pk):
            _sessions[number] = start_session(permit, person).pk
    return _sessions[number]


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    document = load_locomo(parse_arguments(__doc__, data=True).data)
    with measured_database({"FINCLAW_PROCESS": "web"}):
        from memory.evaluation.retrieval.datasets import read_dataset

        memory = max(read_dataset(document, "locomo"), key=lambda memory: sum(len(part.turns) for part in memory.parts))
        figures = measure(memory)
    publish("turn_overhead", "A turn, its model answering at once", figures)


if __name__ == "__main__":
    main()
