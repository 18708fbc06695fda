"""The conversation itself as the prompt sees it: recent turns, and the entities it is about (M-10)."""

from __future__ import annotations

from finclaw.brain.budget import ACTIVE_WINDOW
from finclaw.brain.types import Intent
from foundation.llm import Message
from foundation.text import estimate_tokens
from memory.models import ConversationEvent, Session
from memory.models.sessions import text_of
from memory.services import sessions

RECENT_MESSAGES = 40
ENTITIES_KEPT = 20


def active_window(session: Session) -> tuple[Message, ...]:
    """The last messages, as many as their slot holds, oldest first."""
    kept: list[Message] = []
    room = ACTIVE_WINDOW
    # Three columns of forty rows: made into models they would take longer than the question itself.
    latest = session.events.order_by("-seq").values_list("role", "speaker", "content")[:RECENT_MESSAGES]
    for role, speaker, content in latest:
        text = text_of(content)
        room -= estimate_tokens(text)
        if room < 0:
            break
        kept.append(_message(role, speaker if session.group_id else "", text))
    return tuple(reversed(kept))


def follow(session: Session, intent: Intent, text: str) -> None:
    """End the turn on its session: entity slots follow the message, and a first message gives it its title."""
    for name, values in intent.extracted_entities.items():
        seen = [*session.entity_slots.get(name, []), *values]
        session.entity_slots[name] = list(dict.fromkeys(seen))[-ENTITIES_KEPT:]
    session.title = session.title or sessions.title_from(text)
    session.turn_started_at = None
    session.save(update_fields=["entity_slots", "title", "turn_started_at"])


def _message(role: str, speaker: str, text: str) -> Message:
    """In a group, where several people speak, each message says whose it is."""
    if role == ConversationEvent.Role.ASSISTANT:
        return Message("assistant", text)
    return Message("user", f"{speaker}: {text}" if speaker else text)
