"""How ChatGPT and Claude write a conversation down, as of 2026.

ChatGPT: ``mapping`` is a tree of nodes by id, of which ``current_node`` ends the branch last shown. The message of a
node has ``author.role``, ``content.parts`` and ``create_time`` (seconds since 1970). Claude: ``chat_messages`` is a
list with ``sender``, ``text`` or ``content``, and ``created_at`` (RFC 3339). What is neither said by the person nor
answered by the assistant, as tools and hidden instructions are, is left out, and so are images and files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from django.utils.translation import gettext_noop as _

from foundation.text.storable import storable_text

Source = Literal["chatgpt", "claude"]
Role = Literal["user", "assistant"]
ASSISTANTS: Final[Mapping[Source, str]] = {"chatgpt": "ChatGPT", "claude": "Claude"}
MAX_REF_CHARS: Final = 64
_MOST_NODES: Final = 50_000
_EARLIEST: Final = datetime(2015, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2100, 1, 1, tzinfo=UTC)
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "human": "user", "assistant": "assistant"}
_NO_CONVERSATION_ID: Final = _('"conversation_id" is missing, or no name.')
_NO_MESSAGE_ID: Final = _("a message's id is missing, or no name.")
_NO_UUID: Final = _('"uuid" is missing, or no name.')
_SPOKEN: Final = frozenset({"text", "multimodal_text"})


class UnexpectedShape(Exception):
    """A conversation is not written as its product writes it; the sentence names the field, and none of its words."""


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """One message. ``ref`` names it within its conversation; ``at`` is None where nothing says when it was said."""

    ref: str
    role: Role
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """One conversation, its messages in their order."""

    source: Source
    ref: str
    title: str
    messages: tuple[ExportedMessage, ...]

    @property
    def first_said(self) -> str:
        """The first message of the person's, "" without any."""
        return next((message.text for message in self.messages if message.role == "user"), "")


def chat_of(value: Any) -> ExportedChat:
    """A conversation as one of the products writes it. Raises ``UnexpectedShape``."""
    if isinstance(value, dict):
        for field, read in _FORMATS.items():
            if field in value:
                return read(value)
    raise UnexpectedShape(_("this is no conversation of ChatGPT's or Claude's."))


def _chatgpt(value: dict[str, Any]) -> ExportedChat:
    mapping = value["mapping"]
    if not isinstance(mapping, dict) or len(mapping) > _MOST_NODES:
        raise UnexpectedShape(_('"mapping" holds no messages by their ids.'))
    messages = tuple(_chatgpt_messages(mapping, value.get("current_node")))
    ref = _ref(value.get("conversation_id") or value.get("id"), _NO_CONVERSATION_ID)
    return ExportedChat(
        "chatgpt", ref, _title(value.get("title")), _dated(messages, _seconds(value.get("create_time")))
    )


def _chatgpt_messages(mapping: dict[str, Any], current: Any) -> Iterator[ExportedMessage]:
    for key in _branch(mapping, current):
        node = mapping[key]
        message = node.get("message") if isinstance(node, dict) else None
        if message is None:
            continue
        if not isinstance(message, dict):
            raise UnexpectedShape(_('"message" is not an object.'))
        role = _role(_within(message, "author", "role"))
        hidden = _within(message, "metadata", "is_visually_hidden_from_conversation")
        if role is None or hidden or message.get("recipient", "all") != "all":
            continue
        kind = _within(message, "content", "content_type")
        if isinstance(kind, str) and kind in _SPOKEN and (text := _parts(message["content"])):
            yield ExportedMessage(_ref(key, _NO_MESSAGE_ID), role, text, _seconds(message.get("create_time")))


def _branch(mapping: dict[str, Any], current: Any) -> list[str]:
    """The ids from the root to the node that was shown last; without one, to the last that is nobody's parent."""
    if not isinstance(current, str) or current not in mapping:
        found = (node.get("parent") for node in mapping.values() if isinstance(node, dict))
        parents = {parent for parent in found if isinstance(parent, str)}
        current = next((key for key in reversed(mapping) if key not in parents), None)
    branch: dict[str, None] = {}
    while isinstance(current, str) and current in mapping and current not in branch:
        branch[current] = None
        node = mapping[current]
        current = node.get("parent") if isinstance(node, dict) else None
    return list(branch)[::-1]


def _parts(content: dict[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        raise UnexpectedShape(_('"parts" is not a list.'))
    return "\n".join(map(storable_text, _words(parts)))


def _claude(value: dict[str, Any]) -> ExportedChat:
    said = value["chat_messages"]
    if not isinstance(said, list) or len(said) > _MOST_NODES:
        raise UnexpectedShape(_('"chat_messages" is not a list.'))
    messages = tuple(found for number, message in enumerate(said, 1) if (found := _claude_message(message, number)))
    begun = _moment(value.get("created_at"))
    return ExportedChat("claude", _ref(value.get("uuid"), _NO_UUID), _title(value.get("name")), _dated(messages, begun))


def _claude_message(value: Any, number: int) -> ExportedMessage | None:
    if not isinstance(value, dict):
        raise UnexpectedShape(_('a message in "chat_messages" is not an object.'))
    role = _role(value.get("sender"))
    text = _claude_text(value)
    if role is None or not text:
        return None
    return ExportedMessage(
        _ref(value.get("uuid") or f"message-{number}", _NO_UUID), role, text, _moment(value.get("created_at"))
    )


def _claude_text(value: dict[str, Any]) -> str:
    content = value.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    said = _words(texts) or _words([value.get("text")])
    return "\n".join(map(storable_text, said))


def _words(texts: Iterable[Any]) -> list[str]:
    return [text for text in texts if isinstance(text, str) and text.strip()]


_FORMATS: Final[Mapping[str, Callable[[dict[str, Any]], ExportedChat]]] = {
    "mapping": _chatgpt,
    "chat_messages": _claude,
}


def _dated(messages: tuple[ExportedMessage, ...], begun: datetime | None) -> tuple[ExportedMessage, ...]:
    """Each with a time where any is known: that of the one before it, or of the conversation's beginning."""
    dated, last = [], begun
    for message in messages:
        last = message.at or last
        dated.append(ExportedMessage(message.ref, message.role, message.text, last))
    return tuple(dated)


def _role(value: Any) -> Role | None:
    return _ROLES.get(value) if isinstance(value, str) else None


def _within(value: dict[str, Any], *path: str) -> Any:
    found: Any = value
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _ref(value: Any, refusal: str) -> str:
    if not isinstance(value, str) or not value or len(value) > MAX_REF_CHARS or not value.isprintable():
        raise UnexpectedShape(refusal)
    return value


def _title(value: Any) -> str:
    return " ".join(storable_text(value).split()) if isinstance(value, str) else ""


def _seconds(value: Any) -> datetime | None:
    try:
        return _plausible(datetime.fromtimestamp(float(value), UTC)) if isinstance(value, int | float) else None
    except (ValueError, OverflowError, OSError):
        return None


def _moment(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return _plausible(at if at is None or at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _plausible(at: datetime | None) -> datetime | None:
    return at if at is not None and _EARLIEST <= at <= _LATEST else None
