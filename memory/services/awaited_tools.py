"""The pending tool calls of an answer, kept until the program says what its tools said, if it sends nothing twice.

They stand with the conversation, go with the next answer, and with whatever an erasure takes of the conversation.
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
    """A round of tool calls as it is kept: what was said beside them, and the ``answers`` of the program's tools, none
    of which is there yet in the last round.
    """

    said: str
    calls: tuple[ToolCall, ...]
    answers: tuple[str, ...] = ()

    @classmethod
    def of_json(cls, kept: dict[str, Any]) -> Self:
        """The round that ``asdict`` made this of."""
        calls = tuple(ToolCall(**call) for call in kept["calls"])
        return cls(kept["said"], calls, tuple(kept["answers"]))


def store_pending_tool_calls(session: Session, answer_id: UUID, rounds: Sequence[AwaitedRound]) -> None:
    """Keep the rounds of tool calls since the user's message, the last of which is pending; none for an answer that is
    complete. A group's conversation keeps none.
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
