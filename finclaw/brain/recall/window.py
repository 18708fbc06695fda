"""The conversation as the prompt sees it: recent messages, summaries of earlier ones, and entities.

Messages leave the window at its oldest end. Before one would be in neither the window nor a summary, the worker is
asked to summarise the older half of the window ahead, so that no answer waits for a summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.prompt.budget import ACTIVE_WINDOW, BOUNDS, Slot
from finclaw.brain.prompt.layers import summary_element
from finclaw.brain.prompt.window_steps import skipped_messages
from finclaw.brain.types import Intent
from foundation.llm import Message
from foundation.sanitization.prompt_text import as_message, join_texts, truncate_text, trusted_text
from foundation.sanitization.services import sanitize, sanitized_texts
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from memory.models import ConversationEvent, Session
from memory.services import sessions
from memory.services.summaries import summarize_later
from memory.types import SummaryBlock, TranscriptLine

ENTITIES_KEPT = 20
LATEST_LINES: Final = 4
LATEST_CHARACTERS: Final = 400
REMOVED: Final = trusted_text("[removed]")
"""Stands for a group's message that gives the assistant orders."""
SOMEBODY: Final = trusted_text("A member")
"""Stands for a member's name that gives the assistant orders."""


@dataclass(frozen=True)
class WindowPlace:
    """Where a message stands in its conversation, from 1, and the tokens it takes in the window."""

    seq: int
    tokens: int


@dataclass(frozen=True)
class Window:
    """Recent messages as the prompt shows them, oldest first, with their ids and places.

    ``since`` is when the oldest within the slot's baseline was said, None without any. ``summaries`` tell what was said
    before, made since ``summaries_since``.
    """

    messages: tuple[Message, ...]
    ids: tuple[UUID, ...]
    places: tuple[WindowPlace, ...]
    since: datetime | None
    summaries: tuple[SafeText, ...]
    summaries_since: str


def active_window(
    session: Session, room: int = BOUNDS[Slot.ACTIVE_WINDOW].most, before_seq: int | None = None
) -> Window:
    """The latest messages that fit ``room`` tokens, and the summaries.

    ``room`` is by default the most the slot may ever get; the turn's allocation cuts it later. ``before_seq`` is the
    number of a message that is answered anew: it and what follows are left out, and summaries that reach so far.
    """
    shown = list(_latest_lines(session, room, before_seq))[::-1]
    shown = shown[_skipped([place for _, place in shown]) :]
    lines, places = [line for line, _ in shown], tuple(place for _, place in shown)
    summaries = _summaries_before(session, before_seq)
    surely = lines[window_start(places, ACTIVE_WINDOW) :]
    return Window(
        messages=tuple(_window_message(session, line) for line in lines),
        ids=tuple(line.id for line in lines),
        places=places,
        since=min((line.occurred_at for line in surely), default=None),
        summaries=sanitized_texts(block["text"] for block in summaries),
        summaries_since=session.summaries_since if summaries else "",
    )


def latest_messages(session: Session, before_seq: int | None = None) -> tuple[Message, ...]:
    """The beginnings of the last few messages as the window shows them, oldest first: what the next may refer to."""
    lines = sessions.recent_lines(session, LATEST_LINES, before_seq)[::-1]
    shown = (_window_message(session, line) for line in lines)
    return tuple(Message(said.role, truncate_text(said.content, LATEST_CHARACTERS)) for said in shown)


def _summaries_before(session: Session, before_seq: int | None) -> list[SummaryBlock]:
    """The summaries of what was said before message ``before_seq``; all of them where it is None."""
    blocks: list[SummaryBlock] = session.summary_blocks
    return [block for block in blocks if before_seq is None or block["to_seq"] < before_seq]


def _latest_lines(session: Session, room: int, before_seq: int | None) -> Iterator[tuple[TranscriptLine, WindowPlace]]:
    """The latest message first, until one does not fit ``room``; those before it are not looked at."""
    for line in sessions.recent_lines(session, sessions.RECENT_MESSAGES, before_seq):
        place = _window_place(session, line)
        room -= place.tokens
        if room < 0:
            return
        yield line, place


def window_start(places: Sequence[WindowPlace], room: int, most: int = sessions.RECENT_MESSAGES) -> int:
    """Index of the oldest message that fits ``room`` tokens and is among the last ``most``, moved on to the next step;
    the number of messages where not even the last fits.
    """
    first = len(places)
    for place in reversed(places[-most:]):
        room -= place.tokens
        if room < 0:
            break
        first -= 1
    return first + _skipped(places[first:])


def _skipped(places: Sequence[WindowPlace]) -> int:
    """How many messages stand before the first step among these."""
    return skipped_messages(places[0].seq, len(places)) if places else 0


def summary_tokens(summaries: Iterable[SafeText]) -> int:
    """Tokens of the summaries in the prompt."""
    return sum(estimate_tokens(summary_element(text)) for text in summaries)


def queue_summary(permit: Permit, session: Session, window: Window, said: Iterable[ConversationEvent]) -> None:
    """Queue a summary where, with ``said``, the next window would lose messages that nothing summarises yet."""
    summarize_later(
        permit, session, *unsummarised_span([*window.places, *(_window_place(session, event) for event in said)])
    )


def unsummarised_span(places: Sequence[WindowPlace]) -> tuple[int, int]:
    """The last message that the window has no room for, 0 for none, and the message up to which to summarise."""
    half = window_start(places, ACTIVE_WINDOW // 2, sessions.RECENT_MESSAGES // 2)
    first = window_start(places, ACTIVE_WINDOW)
    return _last_seq_before(places, first), _last_seq_before(places, max(first, half))


def _last_seq_before(places: Sequence[WindowPlace], first: int) -> int:
    """The seq of the last message that is not kept."""
    return places[first].seq - 1 if first < len(places) else places[-1].seq


def update_session(session: Session, intent: Intent, text: str) -> None:
    """Update the entity slots from the message, and title the conversation after its first one."""
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
    """A message as the window shows it.

    In private it stands as the user said it, but for tags that are ours. In a group each message names its speaker too,
    and a name or text that gives the assistant orders is replaced.
    """
    is_assistant = said.role == ConversationEvent.Role.ASSISTANT
    role: Literal["user", "assistant"] = "assistant" if is_assistant else "user"
    if not session.group_id:
        return Message(role, as_message(said.text))
    text = sanitize(said.text).text or REMOVED
    line = text if is_assistant else join_texts(": ", (sanitize(said.speaker).text or SOMEBODY, text))
    return Message(role, as_message(line))
