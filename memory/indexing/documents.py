"""The searchable form of a row: its own text, and the words around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from uuid import UUID
from zoneinfo import ZoneInfo

from foundation.text import tokenize
from memory.models import ConversationEvent
from memory.types import Kind

MAX_LEXEMES = 2_000  # a tsvector lexeme costs its length and four bytes; a message is at most 8,000 characters


@dataclass(frozen=True)
class SearchDocument:
    """One searchable row.

    ``text`` is embedded; ``near`` (one message away in the conversation) and ``far`` (two away) add their words to full
    text only.
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


def turn_text(event: ConversationEvent) -> str:
    """A message's text with date and speaker: people ask who and when (measured). The day is the speaker's own."""
    zone = getattr(event, "zone", "") or event.user.time_zone
    day = event.occurred_at.astimezone(ZoneInfo(zone))
    return f"{day:%Y-%m-%d} {day.day} {day:%B %Y} {event.speaker}: {event.text}"


def terms_literals(documents: Sequence[SearchDocument]) -> list[str]:
    """The tsvector literals: own terms at weight A, terms of neighbours one turn away at B, two away at C.

    A term keeps its highest weight. At most ``MAX_LEXEMES``, own ones first. What several documents share is read once.
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
