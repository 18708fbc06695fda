"""Reads agents, their memory blocks and archival passages as Letta exports them.

Read from ``letta/schemas/agent_file.py`` and ``letta/serialize_schemas`` of github.com/letta-ai/letta: an agent file
(``.af``) has ``agents``, each with ``messages``, and ``blocks`` with ``label`` and ``value``; an older one is one agent
with ``core_memory`` in place of blocks. Archival passages come from the API, as a list with ``id``, ``text`` and
``created_at``. Ids in an agent file only number its entries, so a message is known by its time and words. The block
``persona`` tells of the agent and not of its user; it is left out, and so are system messages, tools and thoughts: what
an agent says, it says by the tool ``send_message`` where it has that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from memory.importing.chats.exported_chats import (
    ExportedChat,
    ExportedMessage,
    Source,
    Validity,
    dated,
    derived_ref,
    entries_of,
    moment_of,
    numbered,
    ref_of,
    role_of,
    statements_in,
    statements_of,
    text_in,
    texts_in,
    title_of,
)

_SOURCE: Final[Source] = "letta"
_OF_THE_AGENT: Final = "persona"
_SPEAKS_BY: Final = "send_message"
_BLOCKS: Final = ("blocks", "core_memory", "memory_blocks")
_PASSAGES: Final = ("passages", "archival_memory")


def is_of_letta(value: dict[str, Any]) -> bool:
    """Whether this is an agent file, a memory block or an archival passage, or lists of them."""
    lists = any(isinstance(value.get(name), list) for name in ("agents", *_BLOCKS, *_PASSAGES))
    return lists or _is_block(value) or _is_passage(value)


def letta_chats(value: dict[str, Any]) -> list[ExportedChat]:
    """What a file holds, or one entry of a list. Raises ``UnexpectedShape``."""
    if _is_block(value):
        return statements_of(_SOURCE, _block(value))
    if _is_passage(value):
        return statements_of(_SOURCE, _passage(value))
    agents = [agent for _, agent in entries_of(value.get("agents", [value]))]
    places = [value, *(agent for agent in agents if agent is not value)]
    told = [
        *(one for place in places for name in _BLOCKS for one in statements_in(place.get(name) or [], _block)),
        *(one for place in places for name in _PASSAGES for one in statements_in(place.get(name) or [], _passage)),
    ]
    return [*statements_of(_SOURCE, told), *(_conversation(agent) for agent in agents if agent.get("messages"))]


def _is_block(value: dict[str, Any]) -> bool:
    return isinstance(value.get("label"), str) and isinstance(value.get("value"), str)


def _is_passage(value: dict[str, Any]) -> bool:
    return isinstance(value.get("text"), str) and str(value.get("id", "")).startswith("passage-")


def _block(entry: dict[str, Any]) -> Iterator[ExportedMessage]:
    """One statement for each line of a block, which is a page that the agent keeps."""
    label, told = str(entry.get("label", "")), moment_of(entry.get("updated_at") or entry.get("created_at"))
    if label == _OF_THE_AGENT or not isinstance(entry.get("value"), str):
        return
    for line in entry["value"].splitlines():
        if text := line.strip().removeprefix("- ").removeprefix("* ").strip():
            yield ExportedMessage(derived_ref(label, text), "user", text, told, Validity(told))


def _passage(entry: dict[str, Any]) -> list[ExportedMessage]:
    if entry.get("is_deleted") is True:
        return []
    told = moment_of(entry.get("created_at"))
    return [ExportedMessage(ref_of(entry.get("id")), "user", text_in(entry, "text"), told, Validity(told))]


def _conversation(agent: dict[str, Any]) -> ExportedChat:
    name = title_of(agent.get("name"))
    messages = [said for number, entry in entries_of(agent["messages"]) for said in _messages(entry, number)]
    return ExportedChat(_SOURCE, derived_ref("agent", name), name, dated(messages, moment_of(agent.get("created_at"))))


def _messages(entry: dict[str, Any], number: int) -> Iterator[ExportedMessage]:
    role = role_of(entry.get("role"))
    if role is None:
        return
    with numbered(number):
        texts = _told_by_user(entry) if role == "user" else _told_by_agent(entry)
    for text in texts:
        ref = derived_ref(entry.get("created_at"), role, text)
        yield ExportedMessage(ref, role, text, moment_of(entry.get("created_at")))


def _told_by_user(entry: dict[str, Any]) -> list[str]:
    """The words of the user's, taken out of the envelope that agents with a heartbeat get them in."""
    return [text for each in _texts(entry.get("content")) if (text := _unwrapped(each))]


def _unwrapped(text: str) -> str:
    if not text.startswith("{"):
        return text
    try:
        envelope = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(envelope, dict) or "type" not in envelope:
        return text
    message = envelope.get("message") if envelope["type"] == "user_message" else ""
    return message if isinstance(message, str) else ""


def _told_by_agent(entry: dict[str, Any]) -> list[str]:
    calls = entry.get("tool_calls") or []
    if not calls:
        return _texts(entry.get("content"))
    return texts_in(_said_by_tool(call) for _, call in entries_of(calls))


def _said_by_tool(call: dict[str, Any]) -> Any:
    function = call.get("function")
    if not isinstance(function, dict) or function.get("name") != _SPEAKS_BY:
        return None
    try:
        arguments = json.loads(function.get("arguments") or "")
    except (TypeError, ValueError, RecursionError):
        return None
    return arguments.get("message") if isinstance(arguments, dict) else None


def _texts(content: Any) -> list[str]:
    parts: Iterable[Any] = content if isinstance(content, list) else [content]
    return texts_in(part.get("text") if isinstance(part, dict) else part for part in parts)
