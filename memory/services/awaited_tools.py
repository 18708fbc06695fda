"""Stores the pending tool calls of an answer until the client program sends the results of its tools.

They are kept in the row of the conversation, so that a program need not send them again. The next answer removes them,
and so does an erasure in the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self
from uuid import UUID

from foundation.llm.types import ToolCall
from memory.models import Session


@dataclass(frozen=True)
class AwaitedRound:
    """A stored round of tool calls: ``text`` is what the model wrote beside them, ``answers`` are what the program's
    tools gave back, empty in the last round, which is pending.
    """

    text: str
    calls: tuple[ToolCall, ...]
    answers: tuple[str, ...] = ()

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Self:
        """The round from its stored form, as ``as_json`` makes it."""
        calls = tuple(ToolCall(**call) for call in stored["calls"])
        return cls(stored["said"], calls, tuple(stored["answers"]))

    def as_json(self) -> dict[str, Any]:
        """The stored form; its keys are those of rows stored before."""
        return {"said": self.text, "calls": [asdict(call) for call in self.calls], "answers": list(self.answers)}


def store_pending_tool_calls(session: Session, answer_id: UUID, rounds: Sequence[AwaitedRound]) -> None:
    """Store the rounds of tool calls since the user's message, the last of which is pending. An answer that is complete
    has none, and for a group's conversation none are stored. Call it before the turn's mark is removed: where another
    turn has taken the conversation meanwhile, nothing is changed.
    """
    pending: dict[str, Any] = {}
    if rounds and not session.group_id:
        pending = {"answer": str(answer_id), "rounds": [asked.as_json() for asked in rounds]}
    if pending != session.awaited_tools:
        own = Session.objects.filter(pk=session.pk, turn_started_at=session.turn_started_at)
        own.update(awaited_tools=pending)


def pending_tool_calls(session: Session, answer_id: UUID) -> list[AwaitedRound]:
    """The rounds of tool calls of an answer, the last of which is pending; none for one that is complete, or is not the
    conversation's last.
    """
    pending: dict[str, Any] = session.awaited_tools
    if pending.get("answer") != str(answer_id):
        return []
    return [AwaitedRound.of_json(stored) for stored in pending["rounds"]]
