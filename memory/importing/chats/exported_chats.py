"""The common form into which every program's export is read: conversations, and statements without a conversation.

It also has the functions that read the fields of exports.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple

from foundation.text.storable import storable_text
from memory.importing.chats.refusal_reasons import RefusalReason

Source = Literal["chatgpt", "claude", "mem0", "zep", "letta", "hindsight"]
Role = Literal["user", "assistant"]
ASSISTANTS: Final[Mapping[str, str]] = {"chatgpt": "ChatGPT", "claude": "Claude"}
"""The assistants whose chats are imported, by their sources."""
PROGRAMS: Final[Mapping[str, str]] = {
    **ASSISTANTS, "mem0": "mem0", "zep": "Zep", "letta": "Letta", "hindsight": "Hindsight",
}  # fmt: skip
"""Every program whose exports are read, by its source, as it calls itself."""
OWN_ARCHIVE: Final = "finclaw"
"""The source of our own archives, of this installation or another."""
SOURCES: Final[Mapping[str, str]] = {**PROGRAMS, OWN_ARCHIVE: "FinClaw"}
"""Whatever can be imported, by its source, as it calls itself."""
STATEMENTS: Final = "statements"
"""The reference of the conversation that holds a program's statements."""
MAX_REF_CHARS: Final = 64
MOST_ENTRIES: Final = 50_000  # of one list
_EARLIEST: Final = datetime(2015, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2100, 1, 1, tzinfo=UTC)
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "human": "user", "assistant": "assistant"}


class UnexpectedShape(Exception):
    """An export is not written as its program writes it; the reason names the field, and none of its words.

    ``entry`` is the number, from 1, of the entry of a list in it.
    """

    def __init__(self, reason: RefusalReason, entry: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.entry = reason, entry


class Validity(NamedTuple):
    """From when a statement is true of the world, and until when; None where nothing says so."""

    valid_at: datetime | None = None
    invalid_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """One message. ``ref`` names it within its conversation; ``at`` is None where nothing says when it was said.

    With a ``validity`` it is a statement that the program held, without the conversation that it was learned in.
    """

    ref: str
    role: Role
    text: str
    at: datetime | None
    validity: Validity | None = None


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """One conversation, its messages in their order; or statements of a program."""

    source: Source
    ref: str
    title: str
    messages: tuple[ExportedMessage, ...]

    @property
    def first_said(self) -> str:
        """The first message of the person's, "" without any."""
        return next((message.text for message in self.messages if message.role == "user"), "")

    @property
    def holds_statements(self) -> bool:
        """Whether this is no conversation, but statements that a program held of its user."""
        return any(message.validity is not None for message in self.messages)


def statements_of(source: Source, statements: Iterable[ExportedMessage]) -> list[ExportedChat]:
    """The statements of a program as one ``ExportedChat``; an empty list for none."""
    told = tuple(statements)
    return [ExportedChat(source, STATEMENTS, PROGRAMS[source], told)] if told else []


ReadStatements = Callable[[dict[str, Any]], Iterable[ExportedMessage]]


def statements_in(value: Any, read: ReadStatements) -> Iterator[ExportedMessage]:
    """What ``read`` makes of each entry of a list. Raises ``UnexpectedShape`` with the entry's number."""
    for number, entry in entries_of(value):
        with numbered(number):
            yield from read(entry)


def statements_under(value: Mapping[str, Any], names: Sequence[str], read: ReadStatements) -> Iterator[ExportedMessage]:
    """What ``read`` makes of each entry of the lists that stand under these names. Raises ``UnexpectedShape``."""
    for name in names:
        if name in value:
            yield from statements_in(value[name], read)


@contextmanager
def numbered(number: int) -> Iterator[None]:
    """Give an ``UnexpectedShape`` of the block the number of the entry that the block reads."""
    try:
        yield
    except UnexpectedShape as error:
        raise UnexpectedShape(error.reason, number) from None


def entries_of(value: Any) -> Iterable[tuple[int, dict[str, Any]]]:
    """The objects of a list with their numbers, from 1. Raises ``UnexpectedShape``."""
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise UnexpectedShape(RefusalReason.NO_ENTRIES)
    for number, entry in enumerate(value, 1):
        if not isinstance(entry, dict):
            raise UnexpectedShape(RefusalReason.ENTRY_NOT_AN_OBJECT, number)
        yield number, entry


def dated(messages: Iterable[ExportedMessage], begun: datetime | None) -> tuple[ExportedMessage, ...]:
    """The messages; one without a time gets that of the one before it, or of the conversation's beginning."""
    result, last = [], begun
    for message in messages:
        last = message.at or last
        result.append(ExportedMessage(message.ref, message.role, message.text, last))
    return tuple(result)


def role_of(value: Any) -> Role | None:
    """Who said it; None for neither the person nor the assistant."""
    return _ROLES.get(value) if isinstance(value, str) else None


def ref_of(value: Any, reason: RefusalReason = RefusalReason.NO_ID) -> str:
    """The value, if it is usable as an id. Raises ``UnexpectedShape`` with the reason."""
    if not isinstance(value, str) or not value or len(value) > MAX_REF_CHARS or not value.isprintable():
        raise UnexpectedShape(reason)
    return value


def derived_ref(*parts: Any) -> str:
    """A reference for an entry to which its file gives no lasting id: the same ``parts`` give the same reference."""
    return hashlib.sha256("\x00".join(map(str, parts)).encode(errors="replace")).hexdigest()[:32]


def title_of(value: Any) -> str:
    """A title in one line, "" for none."""
    return " ".join(storable_text(value).split()) if isinstance(value, str) else ""


def text_in(value: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds words. Raises ``UnexpectedShape`` without any."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return storable_text(found)
    raise UnexpectedShape(RefusalReason.NO_TEXT)


def texts_in(texts: Iterable[Any]) -> list[str]:
    """The values that are strings with more than white space."""
    return [text for text in texts if isinstance(text, str) and text.strip()]


def moment_of(value: Any) -> datetime | None:
    """A moment in the notation of RFC 3339 or near it, without a zone in UTC; None for none, or no plausible one."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return _plausible(at if at is None or at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def moment_of_seconds(value: Any) -> datetime | None:
    """The moment that lies so many seconds after 1970 began; None for what is no plausible time."""
    try:
        return _plausible(datetime.fromtimestamp(float(value), UTC)) if isinstance(value, int | float) else None
    except (ValueError, OverflowError, OSError):
        return None


def _plausible(at: datetime | None) -> datetime | None:
    return at if at is not None and _EARLIEST <= at <= _LATEST else None
