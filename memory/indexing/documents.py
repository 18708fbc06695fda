"""The searchable form of a row: its own text, and the words around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from uuid import UUID
from zoneinfo import ZoneInfo

from foundation.text import tokenize
from media.models import MediaPassage
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile, MemoryItem
from memory.types import Kind

MAX_LEXEMES = 2_000  # a tsvector lexeme costs its length and four bytes; a message is at most 8,000 characters


@dataclass(frozen=True)
class SearchDocument:
    """One searchable row.

    ``text`` is embedded; ``near`` (one message away in the conversation) and ``far`` (two away) add their words to full
    text only. ``prompt_text`` is the text that a prompt may contain, "" where a prompt never contains the whole row.
    """

    id: UUID
    kind: Kind
    user_id: UUID
    group_id: UUID | None
    session_id: UUID | None
    occurred_at: datetime
    text: str
    near: tuple[str, ...] = ()
    far: tuple[str, ...] = ()
    prompt_text: str = ""


def turn_text(event: ConversationEvent) -> str:
    """A message's text with its date, in the speaker's time zone, and the speaker.

    Both improve search measurably, because users ask who said something, and when.
    """
    zone = getattr(event, "zone", "") or event.user.time_zone
    day = event.occurred_at.astimezone(ZoneInfo(zone))
    return f"{day:%Y-%m-%d} {day.day} {day:%B %Y} {event.speaker}: {event.text}"


def turn_document(event: ConversationEvent, near: tuple[str, ...] = (), far: tuple[str, ...] = ()) -> SearchDocument:
    """The search document of a message, with the words of its neighbours."""
    return SearchDocument(
        id=event.pk,
        kind="turn",
        user_id=event.user_id,
        group_id=event.group_id,
        session_id=event.session_id,
        occurred_at=event.occurred_at,
        text=turn_text(event),
        near=near,
        far=far,
        prompt_text=event.text,
    )


def turn_documents(events: Sequence[ConversationEvent], of: Iterable[UUID]) -> list[SearchDocument]:
    """The documents of the learnable messages ``of``, with their neighbours among ``events`` of one conversation."""
    wanted = set(of)
    texts = {event.seq: event.text for event in events}
    return [
        turn_document(event, _texts_at(texts, event.seq, 1), _texts_at(texts, event.seq, 2))
        for event in events
        if event.pk in wanted
    ]


def _texts_at(texts: dict[int, str], seq: int, distance: int) -> tuple[str, ...]:
    return tuple(texts[at] for at in (seq - distance, seq + distance) if at in texts)


def item_document(item: MemoryItem) -> SearchDocument:
    """The search document of a memory."""
    return SearchDocument(
        id=item.pk,
        kind="item",
        user_id=item.user_id,
        group_id=item.group_id,
        session_id=None,
        occurred_at=item.valid_at,
        text=item_text(item.category, item.content),
        prompt_text=item.content,
    )


def item_text(category: str, content: str) -> str:
    """A memory's category and sentence, as they are embedded."""
    label = category.replace("_", " ")
    return f"{label}: {content}" if label else content


def portrait_document(portrait: EntityProfile) -> SearchDocument:
    """The search document of a portrait: its lines, without the headings that all portraits share."""
    return SearchDocument(
        id=portrait.pk,
        kind="profile",
        user_id=portrait.user_id,
        group_id=portrait.group_id,
        session_id=None,
        occurred_at=portrait.updated_at,
        text="\n".join(line["text"] for line in portrait.lines),
    )


def passage_document(passage: MediaPassage) -> SearchDocument:
    """The search document of a passage of a file, with the file's name: users ask for files by it."""
    return SearchDocument(
        id=passage.pk,
        kind="document",
        user_id=passage.user_id,
        group_id=None,
        session_id=None,
        occurred_at=passage.created_at,
        text=f"{passage.file_name}: {passage.text}",
        prompt_text=passage.text,
    )


def event_document(event: CognitiveEvent, near: tuple[str, ...] = ()) -> SearchDocument:
    """The search document of an event: one in the group's perspective belongs to the group, others to the user."""
    of_group = event.perspective == CognitiveEvent.Perspective.GROUP
    return SearchDocument(
        id=event.pk,
        kind="event",
        user_id=event.user_id,
        group_id=event.group_id if of_group else None,
        session_id=event.session_id,
        occurred_at=event.timestamp_utc,
        text=event.canonical_text,
        near=near,
        prompt_text=event.canonical_text,
    )


def terms_literals(documents: Sequence[SearchDocument]) -> list[str]:
    """The tsvector literals: own terms at weight A, terms of neighbours one turn away at B, two away at C.

    A term keeps its highest weight. At most ``MAX_LEXEMES``, own ones first. A text that documents share is tokenized
    once.
    """
    terms_of = cache(tokenize)
    return [_terms_literal(document, terms_of) for document in documents]


def _terms_literal(document: SearchDocument, terms_of: Callable[[str], list[str]]) -> str:
    weights: dict[str, str] = {}
    for weight, texts in (("A", (document.text,)), ("B", document.near), ("C", document.far)):
        for text in texts:
            for term in terms_of(text):
                weights.setdefault(term, weight)
    lexemes = [f"{quote_lexeme(term)}:1{weight}" for term, weight in weights.items()]
    return " ".join(lexemes[:MAX_LEXEMES])


def quote_lexeme(term: str) -> str:
    """A lexeme quoted for tsvector and tsquery literals."""
    doubled = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
