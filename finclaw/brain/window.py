"""The conversation itself as the prompt sees it: recent turns, and the entities it is about (M-10)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from finclaw.brain.budget import ACTIVE_WINDOW
from finclaw.brain.types import Intent
from foundation.llm import Message
from foundation.text import estimate_tokens
from memory.models import ConversationEvent, Session
from memory.services import sessions
from memory.types import Line

ENTITIES_KEPT = 20


@dataclass(frozen=True)
class Window:
    """Recent messages as the prompt shows them, oldest first, and whose ids they are."""

    messages: tuple[Message, ...]
    ids: tuple[UUID, ...]


def active_window(session: Session) -> Window:
    """The last messages, as many as their slot holds."""
    kept: list[Line] = []
    room = ACTIVE_WINDOW
    for line in sessions.recent_lines(session, sessions.RECENT_MESSAGES):
        room -= estimate_tokens(line.text)
        if room < 0:
            break
        kept.insert(0, line)
    in_group = session.group_id is not None
    return Window(tuple(_message(line, names_speakers=in_group) for line in kept), tuple(line.id for line in kept))


def follow(session: Session, intent: Intent, text: str) -> None:
    """End the turn on its session: entity slots follow the message, and a first message gives it its title."""
    for name, values in intent.extracted_entities.items():
        seen = [*session.entity_slots.get(name, []), *values]
        session.entity_slots[name] = list(dict.fromkeys(seen))[-ENTITIES_KEPT:]
    session.title = session.title or sessions.title_from(text)
    sessions.end_turn(session, entity_slots=session.entity_slots, title=session.title)


def _message(line: Line, *, names_speakers: bool) -> Message:
    """In a group, where several people speak, each message says whose it is."""
    if line.role == ConversationEvent.Role.ASSISTANT:
        return Message("assistant", line.text)
    return Message("user", f"{line.speaker}: {line.text}" if names_speakers else line.text)
