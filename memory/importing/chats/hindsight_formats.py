"""Reads facts as Hindsight exports them.

Read from ``list_memory_units`` and the guide to recall of github.com/vectorize-io/hindsight: an object with ``items``
(or ``results``), each with ``id``, ``text``, ``fact_type`` (or ``type``), ``mentioned_at``, ``occurred_start`` and,
where somebody took it back, ``state`` and ``invalidated_at``. Its opinions are the memory bank's own, none of its
user's; they are left out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from memory.importing.chats.exported_chats import (
    ExportedChat,
    ExportedMessage,
    Source,
    Validity,
    moment_of,
    ref_of,
    statements_of,
    statements_under,
    text_in,
)

_SOURCE: Final[Source] = "hindsight"
_LISTS: Final = ("items", "results", "facts")
_KINDS: Final = frozenset({"world", "experience", "observation", "opinion", "bank"})
_OF_THE_BANK: Final = "opinion"


def is_of_hindsight(value: dict[str, Any]) -> bool:
    """Whether this is a fact of Hindsight's, or its list of them."""
    if _is_fact(value):
        return True
    return any(isinstance(value.get(name), list) and all(map(_is_fact, value[name][:1])) for name in _LISTS)


def hindsight_chats(value: dict[str, Any]) -> list[ExportedChat]:
    """The facts of a file, or one of a list. Raises ``UnexpectedShape``."""
    if _is_fact(value):
        return statements_of(_SOURCE, _fact(value))
    return statements_of(_SOURCE, statements_under(value, _LISTS, _fact))


def _is_fact(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str) and _kind(value) in _KINDS


def _kind(entry: dict[str, Any]) -> str:
    return str(entry.get("fact_type") or entry.get("type") or "")


def _fact(entry: dict[str, Any]) -> list[ExportedMessage]:
    if _kind(entry) == _OF_THE_BANK:
        return []
    told = moment_of(entry.get("mentioned_at")) or moment_of(entry.get("date"))
    ended = moment_of(entry.get("invalidated_at"))
    text = text_in(entry, "text")
    return [ExportedMessage(ref_of(entry.get("id")), "user", text, told, Validity(_true_from(entry, told), ended))]


def _true_from(entry: dict[str, Any], told: datetime | None) -> datetime | None:
    """Since when a fact is true: since it happened, or since it was told if it was to happen only later."""
    happened = moment_of(entry.get("occurred_start"))
    return min(happened, told) if happened and told else happened or told
