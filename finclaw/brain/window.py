"""The conversation itself as the prompt sees it: recent turns, what came before in short, and the entities (M-10).

Messages leave the window at its oldest end. Before one is in neither the window nor a summary, the worker is asked
to summarise the older half of the window ahead: an answer never waits for a summary, and none is made of one message
at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.budget import ACTIVE_WINDOW, BOUNDS, Slot
from finclaw.brain.prompt import summary_element
from finclaw.brain.types import Intent
from foundation.llm import Message
from foundation.sanitization.prompt_text import as_message, joined, own_words
from foundation.sanitization.services import sanitize, sanitized_texts
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from memory.models import ConversationEvent, Session
from memory.services import sessions
from memory.services.summaries import summarize_later
from memory.types import TranscriptLine

ENTITIES_KEPT = 20
REMOVED: Final = own_words("[removed]")
"""Stands for a group's message that gives the assistant orders."""
SOMEBODY: Final = own_words("A member")
"""Stands for a name that does."""


@dataclass(frozen=True)
class WindowPlace:
    """Where a message stands in its conversation, from 1, and the tokens it takes in the window."""

    seq: int
    tokens: int


@dataclass(frozen=True)
class Window:
    """Recent messages as the prompt shows them, oldest first: whose ids they are, and where they stand. ``since`` is
    when the oldest within the slot's baseline was said, None without any. ``summaries`` tell what was said before,
    made since ``summaries_since``.
    """

    messages: tuple[Message, ...]
    ids: tuple[UUID, ...]
    places: tuple[WindowPlace, ...]
    since: datetime | None
    summaries: tuple[SafeText, ...]
    summaries_since: str


def active_window(session: Session, room: int = BOUNDS[Slot.ACTIVE_WINDOW].most) -> Window:
    """The last messages, as many as ``room`` tokens hold, and all summaries.

    Unless told otherwise as many as the slot is ever given: what this turn gives it is cut out of them later.
    """
    shown = list(_latest_lines(session, room))[::-1]
    lines, places = [line for line, _ in shown], tuple(place for _, place in shown)
    surely = lines[first_kept(places, ACTIVE_WINDOW) :]
    return Window(
        messages=tuple(_window_message(session, line) for line in lines),
        ids=tuple(line.id for line in lines),
        places=places,
        since=min((line.occurred_at for line in surely), default=None),
        summaries=sanitized_texts(block["text"] for block in session.summary_blocks),
        summaries_since=session.summaries_since,
    )


def _latest_lines(session: Session, room: int) -> Iterator[tuple[TranscriptLine, WindowPlace]]:
    """The last message first, until ``room`` is full: long ones before it are not even measured."""
    for line in sessions.recent_lines(session, sessions.RECENT_MESSAGES):
        place = _window_place(session, line)
        room -= place.tokens
        if room < 0:
            return
        yield line, place


def first_kept(places: Sequence[WindowPlace], room: int, most: int = sessions.RECENT_MESSAGES) -> int:
    """The index of the oldest message that still fits ``room`` tokens and is among the last ``most``; the number of
    messages where not even the last one fits.
    """
    first = len(places)
    for place in reversed(places[-most:]):
        room -= place.tokens
        if room < 0:
            break
        first -= 1
    return first


def summary_tokens(summaries: Iterable[SafeText]) -> int:
    """What summaries take in the prompt."""
    return sum(estimate_tokens(summary_element(text)) for text in summaries)


def queue_summary(permit: Permit, session: Session, window: Window, said: Iterable[ConversationEvent]) -> None:
    """Queue a summary where with ``said`` the next window will have no room for what nothing summarises yet."""
    summarize_later(
        permit, session, *unsummarised_span([*window.places, *(_window_place(session, event) for event in said)])
    )


def unsummarised_span(places: Sequence[WindowPlace]) -> tuple[int, int]:
    """The last message that the window has no room for, 0 for none, and up to which one to summarise if at all."""
    half = first_kept(places, ACTIVE_WINDOW // 2, sessions.RECENT_MESSAGES // 2)
    return _last_seq_before(places, first_kept(places, ACTIVE_WINDOW)), _last_seq_before(places, half)


def _last_seq_before(places: Sequence[WindowPlace], first: int) -> int:
    """The seq of the last message that is not kept."""
    return places[first].seq - 1 if first < len(places) else places[-1].seq


def update_session(session: Session, intent: Intent, text: str) -> None:
    """Entity slots follow the message, and a first message gives the conversation its title."""
    slots = dict(session.entity_slots)
    for name, values in intent.extracted_entities.items():
        slots[name] = list(dict.fromkeys([*slots.get(name, []), *values]))[-ENTITIES_KEPT:]
    title = session.title or sessions.title_from(text)
    if (slots, title) != (session.entity_slots, session.title):
        session.entity_slots, session.title = slots, title
        session.save(update_fields=["entity_slots", "title"])


def _window_place(session: Session, said: TranscriptLine | ConversationEvent) -> WindowPlace:
    return WindowPlace(said.seq, estimate_tokens(_window_message(session, said).content))


def _window_message(session: Session, said: TranscriptLine | ConversationEvent) -> Message:
    """What was said in private is its person's own, and stands as they said it. In a group, where several people
    speak, each message says whose it is, and neither name nor words may give the assistant orders: what does is gone.
    """
    is_assistant = said.role == ConversationEvent.Role.ASSISTANT
    role: Literal["user", "assistant"] = "assistant" if is_assistant else "user"
    if not session.group_id:
        return Message(role, as_message(said.text))
    text = sanitize(said.text).text or REMOVED
    return Message(role, text if is_assistant else joined(": ", (sanitize(said.speaker).text or SOMEBODY, text)))
