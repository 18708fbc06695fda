"""The shapes of an archive's JSON columns and texts: what every reader of such a column may rely on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings

from memory.importing.archives.row_ids import is_id
from memory.models.items import BROUGHT_BY, IMPORTED_FROM, PROGRAM
from memory.services.contradicted_items import MAY_CHANGE, PUTS_AWAY

_DEEPEST: Final = 32
_LONGEST_SEQ: Final = 2**31 - 1
_ANSWERS_LONGER: Final = 5  # times the longest message of a user: an answer is not bounded by it
_KEYS_OF_IDS: Final = ("message_ids", "merged_from", MAY_CHANGE, PUTS_AWAY)
_KEYS_OF_TEXTS: Final = ("rule", "change", "reason", "why", "doubt", PROGRAM, IMPORTED_FROM, BROUGHT_BY)


def most_text_chars() -> int:
    """How long one text may be: what is longer, no index takes."""
    most: int = _ANSWERS_LONGER * settings.MAX_MESSAGE_CHARS
    return most


def require_supported_json(value: Any, depth: int = _DEEPEST) -> None:
    """Raise ``ValueError`` for JSON that is nested too deeply, or holds a text or number that nothing here takes."""
    if not depth or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError("nested too deeply, or a number without end")
    if isinstance(value, str) and len(value) > most_text_chars():
        raise ValueError("a text is too long")
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        require_supported_json(entry, depth - 1)


def are_content_blocks(value: Any) -> bool:
    """Whether a message's ``content`` is a list of blocks, all of whose fields are texts."""
    return (
        isinstance(value, list)
        and all(isinstance(block, dict) and _are_texts(filter(None, block.values())) for block in value)
        and sum(len(block.get("text") or "") for block in value) <= most_text_chars()
    )


def are_summary_blocks(value: Any) -> bool:
    """Whether the value is a list of ``SummaryBlock``, as the summaries of a conversation are."""
    return isinstance(value, list) and all(map(_is_summary_block, value))


def are_sources(value: Any) -> bool:
    """Whether the sources of an event name a message and its sentence each."""
    return isinstance(value, list) and all(
        isinstance(source, dict) and _is_id(source.get("message")) and isinstance(source.get("quote"), str)
        for source in value
    )


def is_list_of_texts(value: Any) -> bool:
    """Whether the value is a list of texts and nothing else."""
    return isinstance(value, list) and _are_texts(value)


def is_provenance_detail(value: Any) -> bool:
    """Whether the value is an object whose known lists hold ids and whose other known fields hold text."""
    return (
        isinstance(value, dict)
        and all(_are_ids(value[key]) for key in _KEYS_OF_IDS if key in value)
        and all(isinstance(value[key], str) for key in _KEYS_OF_TEXTS if key in value)
    )


def are_attributes(value: Any) -> bool:
    """Whether the value is an object, and so is its ``metadata``, which a program noted beside a memory."""
    return isinstance(value, dict) and isinstance(value.get("metadata", {}), dict)


def _is_summary_block(value: Any) -> bool:
    return isinstance(value, dict) and _has_places(value) and _has_texts(value, "text", "made_by", "created_at")


def _has_places(value: Mapping[str, Any]) -> bool:
    places = (value.get("from_seq"), value.get("to_seq"))
    return all(isinstance(place, int) and 0 <= place <= _LONGEST_SEQ for place in places)


def _has_texts(value: Mapping[str, Any], *names: str) -> bool:
    return all(isinstance(value.get(name), str) for name in names)


def _are_texts(values: Any) -> bool:
    return all(isinstance(entry, str) for entry in values)


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_id, value))


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and is_id(value)
