"""Reads facts and conversations as Zep exports them.

Read from ``src/zep_cloud/types`` of github.com/getzep/zep-python: an ``EntityEdge`` or ``Fact`` has ``uuid``, ``fact``
(or ``content``), ``created_at``, ``valid_at`` and, once it holds no more, ``invalid_at`` or ``expired_at``; a
``Message`` has ``uuid``, ``content``, ``created_at`` and ``role_type`` (later ``role``); an ``Episode`` is a message
with its ``session_id``. They come as a list, or in an object under ``edges``, ``facts``, ``messages``, ``episodes``,
``sessions`` or ``threads``. What tools and the system say is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    statements_of,
    statements_under,
    text_in,
    title_of,
)

_SOURCE: Final[Source] = "zep"
_FACTS: Final = ("edges", "facts")
_CONVERSATIONS: Final = ("sessions", "threads")
_IDS: Final = ("session_id", "thread_id", "uuid")
_UNNAMED: Final = "messages"
"""The reference of a conversation whose file or messages name none."""


def is_of_zep(value: dict[str, Any]) -> bool:
    """Whether this is a fact, a message or a conversation of Zep's, or lists of them."""
    if isinstance(value.get("fact"), str) or _is_episode(value):
        return True
    return any(isinstance(value.get(name), list) for name in (*_FACTS, *_CONVERSATIONS, "episodes")) or (
        isinstance(value.get("messages"), list) and not {"agent_type", "core_memory", "blocks"} & value.keys()
    )


def zep_chats(value: dict[str, Any]) -> list[ExportedChat]:
    """What a file holds, or one entry of a list. Raises ``UnexpectedShape``."""
    if isinstance(value.get("fact"), str):
        return statements_of(_SOURCE, _fact(value))
    if _is_episode(value):
        return list(_conversations_of_episodes([value]))
    return [*statements_of(_SOURCE, statements_under(value, _FACTS, _fact)), *_conversations(value)]


def _fact(entry: dict[str, Any]) -> list[ExportedMessage]:
    text = text_in(entry, "fact", "content")
    told = moment_of(entry.get("created_at"))
    ended = moment_of(entry.get("invalid_at")) or moment_of(entry.get("expired_at"))
    validity = Validity(moment_of(entry.get("valid_at")) or told, ended)
    return [ExportedMessage(ref_of(entry.get("uuid")), "user", text, told, validity)]


def _conversations(value: dict[str, Any]) -> Iterator[ExportedChat]:
    for name in _CONVERSATIONS:
        for number, entry in entries_of(value.get(name, [])):
            with numbered(number):
                yield _conversation(entry)
    if "messages" in value:
        yield _conversation(value)
    if "episodes" in value:
        yield from _conversations_of_episodes(value["episodes"])


def _conversation(value: dict[str, Any]) -> ExportedChat:
    named = next((value[name] for name in _IDS if value.get(name)), _UNNAMED)
    messages = [said for number, entry in entries_of(value.get("messages", [])) for said in _message(entry, number)]
    begun = moment_of(value.get("created_at")) or moment_of(value.get("thread_created_at"))
    title = title_of(value.get("title"))
    return ExportedChat(_SOURCE, ref_of(named), title, dated(messages, begun))


def _message(entry: dict[str, Any], number: int) -> list[ExportedMessage]:
    role = role_of(entry.get("role_type")) or role_of(entry.get("role"))
    if role is None:
        return []
    with numbered(number):
        text = text_in(entry, "content")
        ref = ref_of(entry["uuid"]) if entry.get("uuid") else derived_ref(entry.get("created_at"), role, text)
    return [ExportedMessage(ref, role, text, moment_of(entry.get("created_at")))]


def _is_episode(value: dict[str, Any]) -> bool:
    return isinstance(value.get("content"), str) and bool({"role_type", "session_id", "source"} & value.keys())


def _conversations_of_episodes(value: Any) -> Iterator[ExportedChat]:
    by_session: dict[str, list[ExportedMessage]] = {}
    for number, entry in entries_of(value):
        named = ref_of(entry.get("session_id") or _UNNAMED)
        by_session.setdefault(named, []).extend(_message(entry, number))
    for named, messages in by_session.items():
        yield ExportedChat(_SOURCE, named, "", dated(messages, None))
