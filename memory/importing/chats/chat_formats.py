"""Reads conversations as ChatGPT and Claude export them, as of 2026.

ChatGPT: ``mapping`` is a tree of nodes by id, of which ``current_node`` ends the branch last shown. The message of a
node has ``author.role``, ``content.parts`` and ``create_time`` (seconds since 1970). Claude: ``chat_messages`` is a
list with ``sender``, ``text`` or ``content``, and ``created_at`` (RFC 3339). What is neither said by the person nor
answered by the assistant, as tools and hidden instructions are, is left out, and so are images and files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from foundation.text.storable import storable_text
from memory.importing.chats.exported_chats import (
    MOST_ENTRIES,
    ExportedChat,
    ExportedMessage,
    UnexpectedShape,
    dated,
    moment_of,
    moment_of_seconds,
    ref_of,
    role_of,
    texts_in,
    title_of,
)
from memory.importing.chats.refusal_reasons import RefusalReason

_SPOKEN: Final = frozenset({"text", "multimodal_text"})


def chatgpt_chats(value: dict[str, Any]) -> list[ExportedChat]:
    """A conversation of ChatGPT's. Raises ``UnexpectedShape``."""
    mapping = value["mapping"]
    if not isinstance(mapping, dict) or len(mapping) > MOST_ENTRIES:
        raise UnexpectedShape(RefusalReason.MAPPING_WITHOUT_MESSAGES)
    messages = tuple(_chatgpt_messages(mapping, value.get("current_node")))
    ref = ref_of(value.get("conversation_id") or value.get("id"), RefusalReason.NO_CONVERSATION_ID)
    begun = moment_of_seconds(value.get("create_time"))
    return [ExportedChat("chatgpt", ref, title_of(value.get("title")), dated(messages, begun))]


def _chatgpt_messages(mapping: dict[str, Any], current: Any) -> Iterator[ExportedMessage]:
    for key in _branch(mapping, current):
        node = mapping[key]
        message = node.get("message") if isinstance(node, dict) else None
        if message is None:
            continue
        if not isinstance(message, dict):
            raise UnexpectedShape(RefusalReason.MESSAGE_NOT_AN_OBJECT)
        role = role_of(_within(message, "author", "role"))
        hidden = _within(message, "metadata", "is_visually_hidden_from_conversation")
        if role is None or hidden or message.get("recipient", "all") != "all":
            continue
        kind = _within(message, "content", "content_type")
        if isinstance(kind, str) and kind in _SPOKEN and (text := _parts(message["content"])):
            yield ExportedMessage(
                ref_of(key, RefusalReason.NO_MESSAGE_ID), role, text, moment_of_seconds(message.get("create_time"))
            )


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
        raise UnexpectedShape(RefusalReason.PARTS_NOT_A_LIST)
    return "\n".join(map(storable_text, texts_in(parts)))


def claude_chats(value: dict[str, Any]) -> list[ExportedChat]:
    """A conversation of Claude's. Raises ``UnexpectedShape``."""
    said = value["chat_messages"]
    if not isinstance(said, list) or len(said) > MOST_ENTRIES:
        raise UnexpectedShape(RefusalReason.CHAT_MESSAGES_NOT_A_LIST)
    messages = tuple(found for number, message in enumerate(said, 1) if (found := _claude_message(message, number)))
    begun = moment_of(value.get("created_at"))
    return [
        ExportedChat(
            "claude",
            ref_of(value.get("uuid"), RefusalReason.NO_UUID),
            title_of(value.get("name")),
            dated(messages, begun),
        )
    ]


def _claude_message(value: Any, number: int) -> ExportedMessage | None:
    if not isinstance(value, dict):
        raise UnexpectedShape(RefusalReason.CHAT_MESSAGE_NOT_AN_OBJECT)
    role = role_of(value.get("sender"))
    text = _claude_text(value)
    if role is None or not text:
        return None
    return ExportedMessage(
        ref_of(value.get("uuid") or f"message-{number}", RefusalReason.NO_UUID),
        role,
        text,
        moment_of(value.get("created_at")),
    )


def _claude_text(value: dict[str, Any]) -> str:
    content = value.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    said = texts_in(texts) or texts_in([value.get("text")])
    return "\n".join(map(storable_text, said))


def _within(value: dict[str, Any], *path: str) -> Any:
    found: Any = value
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found
