"""Reads memories as mem0 exports them.

Read from ``mem0/memory/main.py`` and the API reference of github.com/mem0ai/mem0: ``get_all`` answers a list of
memories, or an object with ``results``; each has ``id``, ``memory``, ``created_at``, ``updated_at``, ``user_id`` and,
on the platform, ``expiration_date``. A memory of the assistant's own words (``role``) is left out: it is none of its
user's. An export with a schema of one's own (``memories``) is read where its entries have these names.
"""

from __future__ import annotations

from typing import Any, Final

from memory.importing.chats.exported_chats import (
    ExportedChat,
    ExportedMessage,
    Source,
    Validity,
    derived_ref,
    moment_of,
    ref_of,
    role_of,
    statements_of,
    statements_under,
    text_in,
)

_SOURCE: Final[Source] = "mem0"
_LISTS: Final = ("results", "memories")


def is_of_mem0(value: dict[str, Any]) -> bool:
    """Whether this is a memory of mem0's, or its list of them."""
    if isinstance(value.get("memory"), str):
        return True
    lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
    return any(isinstance(entry, dict) and isinstance(entry.get("memory"), str) for each in lists for entry in each[:1])


def mem0_chats(value: dict[str, Any]) -> list[ExportedChat]:
    """The memories of a file, or one of a list. Raises ``UnexpectedShape``."""
    if "memory" in value:
        return statements_of(_SOURCE, _statements(value))
    return statements_of(_SOURCE, statements_under(value, _LISTS, _statements))


def _statements(entry: dict[str, Any]) -> list[ExportedMessage]:
    if role_of(entry.get("role")) == "assistant":
        return []
    text = text_in(entry, "memory")
    told = moment_of(entry.get("created_at"))
    ref = ref_of(entry["id"]) if entry.get("id") else derived_ref(entry.get("created_at"), text)
    return [ExportedMessage(ref, "user", text, told, Validity(told, moment_of(entry.get("expiration_date"))))]
