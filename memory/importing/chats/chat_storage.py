"""Stores one imported conversation: it is searchable by words at once, embedded and learned from later. Statements that
a program exported without a conversation become memories at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import redact_text, screen_text
from foundation.accounts.models import User
from foundation.exceptions import FinClawError
from foundation.outbox.models import Priority
from memory.content_blocks import checked_blocks
from memory.external_refs import stored_refs
from memory.importing.chats.exported_chats import ASSISTANTS, PROGRAMS, ExportedChat, ExportedMessage
from memory.importing.chats.statement_storage import MOST_IMPORTS, free_ref, keep_statements, sessions_of_statements
from memory.indexing import services as indexing
from memory.indexing.documents import turn_documents
from memory.indexing.unconfirmed_health import find_unconfirmed_health
from memory.learning.services import queue
from memory.models import ChatImport, ConversationEvent, Session
from memory.services.item_decisions import MAX_CONTENT_CHARS
from memory.services.sessions import TITLE_CHARS, record_messages, title_from
from memory.types import IMPORTED_ASSISTANT, NewMessage

LEARNED_AT_ONCE: Final = 40  # messages of one job


@dataclass(frozen=True, slots=True)
class StorageCounts:
    """How many messages were recorded, were there before, and were left out for what they hold."""

    recorded: int = 0
    known: int = 0
    left_out: int = 0

    def __add__(self, other: StorageCounts) -> StorageCounts:
        return StorageCounts(self.recorded + other.recorded, self.known + other.known, self.left_out + other.left_out)


def store_chat(permit: Permit, wanted: ChatImport, chat: ExportedChat) -> StorageCounts:
    """Store the messages of a conversation, or a part of it, that are not there yet, index their words, and queue them
    for learning.

    What an earlier attempt of the same import recorded counts as recorded. To be called in a transaction that holds the
    permit. Nothing is embedded here, and nothing leaves the machine.
    """
    user = wanted.user
    sessions = _sessions(user, chat)
    pieces, refused = _all_pieces(chat, user)
    there = _recorded(user, sessions, pieces)
    fresh = [piece for piece in pieces if piece.ref not in there]
    kept = [(piece, message) for piece in fresh if (message := _message(piece, chat, user))]
    if kept:
        _store(permit, wanted, chat, sessions, kept)
    earlier = sum(piece.ref in there and there[piece.ref] >= wanted.created_at for piece in pieces)
    known = len(pieces) - len(fresh) - earlier
    return StorageCounts(len(kept) + earlier, known, len(fresh) - len(kept) + refused)


def _sessions(user: User, chat: ExportedChat) -> list[Session]:
    """The conversations in which messages of this chat may be stored already."""
    if chat.holds_statements:
        return sessions_of_statements(user, chat)
    return list(Session.objects.filter(user=user, external_ref__in=stored_refs(user, [_ref(chat)])))


def _ref(chat: ExportedChat) -> str:
    return f"{chat.source}/{chat.ref}"


def _store(
    permit: Permit,
    wanted: ChatImport,
    chat: ExportedChat,
    sessions: Sequence[Session],
    kept: Sequence[tuple[ExportedMessage, NewMessage]],
) -> None:
    messages = [message for _, message in kept]
    session = _session(wanted, chat, sessions)
    events = record_messages(permit, session, messages, active_at=_last_said(messages))
    if chat.holds_statements:
        told = [(piece, event) for (piece, _), event in zip(kept, events, strict=True)]
        keep_statements(permit, session, told, chat.source)
    else:
        _index(wanted.user, session, events)
        _learn_later(wanted.user, session, events)


def _session(wanted: ChatImport, chat: ExportedChat, sessions: Sequence[Session]) -> Session:
    """The conversation that messages are added to: of statements, that of the same import."""
    if not chat.holds_statements:
        return sessions[0] if sessions else _begin(wanted, chat, _ref(chat))
    own = next((session for session in sessions if session.brought_by == wanted.pk), None)
    if own is None and len(sessions) >= MOST_IMPORTS:
        own = sessions[-1]
    return own or _begin(wanted, chat, free_ref(wanted.user, chat, sessions))


def _recorded(user: User, sessions: Sequence[Session], pieces: Sequence[ExportedMessage]) -> dict[str, datetime]:
    """When these messages were recorded, by their references, as far as they are stored already."""
    refs = stored_refs(user, (piece.ref for piece in pieces))
    said = ConversationEvent.objects.filter(session__in=sessions, external_ref__in=refs)
    recorded = said.values_list("external_ref", "created_at")
    return {refs[stored]: at for stored, at in recorded}


def _begin(wanted: ChatImport, chat: ExportedChat, ref: str) -> Session:
    return Session.objects.create(
        user=wanted.user,
        title=_title(chat.title or chat.first_said),
        external_ref=ref,
        brought_by=wanted.pk,
        expires_at=timezone.now() + timedelta(hours=settings.SESSION_TTL_HOURS),
    )


def _title(text: str) -> str:
    try:
        return title_from(screen_text("title", text[: 4 * TITLE_CHARS]).text)
    except SensitiveInput:
        return title_from(redact_text(text[: 4 * TITLE_CHARS]))


def _all_pieces(chat: ExportedChat, user: User) -> tuple[list[ExportedMessage], int]:
    """The messages, split where they are too long, and how many of the long ones hold what must not be kept."""
    pieces: list[ExportedMessage] = []
    refused = 0
    for message in chat.messages:
        try:
            pieces += _pieces(message, [user.name, _speaker(message, chat, user)])
        except SensitiveInput:
            refused += 1
    return pieces, refused


def _pieces(message: ExportedMessage, known_names: Sequence[str]) -> Iterator[ExportedMessage]:
    """The message, split into several if it is too long; it is masked first, as a cut could divide something sensitive.

    Raises ``SensitiveInput``.
    """
    most, text = MAX_CONTENT_CHARS if message.validity else settings.MAX_MESSAGE_CHARS, message.text
    if len(text) > most:
        text = screen_text("content", text, known_names).text
    for number, start in enumerate(range(0, len(text), most)):
        ref = f"{message.ref}#{number + 1}" if number else message.ref
        if piece := text[start : start + most].strip():
            yield replace(message, ref=ref, text=piece)


def _speaker(message: ExportedMessage, chat: ExportedChat, user: User) -> str:
    """The user, the assistant, or for a statement the program that held it."""
    if message.validity:
        return PROGRAMS[chat.source]
    return user.name if message.role == "user" else ASSISTANTS.get(chat.source, IMPORTED_ASSISTANT)


def _message(piece: ExportedMessage, chat: ExportedChat, user: User) -> NewMessage | None:
    """The message in the form in which it is stored; None for one that holds what must not be kept."""
    speaker = _speaker(piece, chat, user)
    try:
        blocks = checked_blocks([{"type": "text", "text": piece.text}], [user.name, speaker])
    except FinClawError:
        return None
    repeats = piece.validity is not None  # a statement has a memory of its own: nothing is learned from the message
    return NewMessage(piece.role, blocks, speaker, occurred_at=piece.at, external_ref=piece.ref, echo=repeats)


def _last_said(messages: Sequence[NewMessage]) -> datetime | None:
    """When the last message was said: the date of the conversation in lists."""
    return max((message.occurred_at for message in messages if message.occurred_at), default=None)


def _index(user: User, session: Session, events: Sequence[ConversationEvent]) -> None:
    """Index messages by words alone; the worker that learns from them adds their embeddings. Those that may be about
    health are left to the worker.
    """
    private = find_unconfirmed_health(user.pk, events)
    shown = [event.pk for event in events if event.learnable and event.pk not in private]
    if shown:
        around = indexing.neighbour_text_sources(indexing.messages_with_neighbours(session.pk, shown), shown)
        documents = turn_documents(around, shown)
        indexing.store_entries(documents, [None] * len(documents), "", judge=False)


def _learn_later(user: User, session: Session, events: Sequence[ConversationEvent]) -> None:
    learnable = [str(event.pk) for event in events if event.learnable]
    for start in range(0, len(learnable), LEARNED_AT_ONCE):
        some = learnable[start : start + LEARNED_AT_ONCE]
        queue(user.pk, str(session.pk), some, Priority.LOW, wake=False)
