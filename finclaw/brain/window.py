"""The conversation itself as the prompt sees it: recent turns, and the entities it is about (M-10)."""

from __future__ import annotations

from finclaw.brain.budget import ACTIVE_WINDOW
from finclaw.brain.types import Intent
from foundation.llm import Message
from foundation.text import estimate_tokens
from memory.models import ConversationEvent, Session
from memory.services import sessions

RECENT_MESSAGES = 40
ENTITIES_KEPT = 20


def active_window(session: Session) -> tuple[Message, ...]:
    """The last messages, as many as their slot holds, oldest first."""
    kept: list[Message] = []
    room = ACTIVE_WINDOW
    for event in reversed(sessions.recent_messages(session, RECENT_MESSAGES)):
        room -= estimate_tokens(event.text)
        if room < 0:
            break
        kept.append(_message(event, in_group=session.group_id is not None))
    return tuple(reversed(kept))


def follow(session: Session, intent: Intent, text: str) -> None:
    """End the turn on its session: entity slots follow the message, and a first message gives it its title."""
    for name, values in intent.extracted_entities.items():
        seen = [*session.entity_slots.get(name, []), *values]
        session.entity_slots[name] = list(dict.fromkeys(seen))[-ENTITIES_KEPT:]
    session.title = session.title or sessions.title_from(text)
    session.turn_started_at = None
    session.save(update_fields=["entity_slots", "title", "turn_started_at"])


def _message(event: ConversationEvent, *, in_group: bool) -> Message:
    if event.role == ConversationEvent.Role.ASSISTANT:
        return Message("assistant", event.text)
    return Message("user", f"{event.speaker}: {event.text}" if in_group else event.text)
