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
    """A stored round of tool calls: ``said`` is the model's text beside them, ``answers`` are those of the program's
    tools, empty in the last round, which is pending.
    """

    said: str
    calls: tuple[ToolCall, ...]
    answers: tuple[str, ...] = ()

    @classmethod
    def of_json(cls, kept: dict[str, Any]) -> Self:
        """The round from its stored form, which ``asdict`` made."""
        calls = tuple(ToolCall(**call) for call in kept["calls"])
        return cls(kept["said"], calls, tuple(kept["answers"]))


def store_pending_tool_calls(session: Session, answer_id: UUID, rounds: Sequence[AwaitedRound]) -> None:
    """Store the rounds of tool calls since the user's message, the last of which is pending. An answer that is complete
    has none, and for a group's conversation none are stored.
    """
    kept: dict[str, Any] = {}
    if rounds and not session.group_id:
        kept = {"answer": str(answer_id), "rounds": [asdict(asked) for asked in rounds]}
    if kept != session.awaited_tools:
        Session.objects.filter(pk=session.pk).update(awaited_tools=kept)


def pending_tool_calls(session: Session, answer_id: UUID) -> list[AwaitedRound]:
    """The rounds of tool calls of an answer, the last of which is pending; none for one that is complete, or is not the
    conversation's last.
    """
    kept: dict[str, Any] = session.awaited_tools
    return [AwaitedRound.of_json(asked) for asked in kept["rounds"]] if kept.get("answer") == str(answer_id) else []
