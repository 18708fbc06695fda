"""What an answer asked a program's tools for, kept until they say it, for programs that send nothing twice.

It stands with the conversation, goes with the next answer, and with whatever an erasure takes of the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memory.models import Session


def note_awaited_tools(session: Session, answer_id: UUID, messages: Sequence[dict[str, Any]]) -> None:
    """Keep the messages of tools since the user's, the last of which is an answer that waits for more; none for an
    answer that waits for nothing. A group's conversation keeps none.
    """
    kept = {"answer": str(answer_id), "messages": list(messages)} if messages and not session.group_id else {}
    if kept != session.awaited_tools:
        Session.objects.filter(pk=session.pk).update(awaited_tools=kept)


def awaited_messages(session: Session, answer_id: UUID) -> list[dict[str, Any]]:
    """These messages of an answer; none where it waits for nothing, or is not the conversation's last."""
    kept: dict[str, Any] = session.awaited_tools
    return list(kept["messages"]) if kept.get("answer") == str(answer_id) else []
