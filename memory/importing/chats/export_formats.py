"""Recognises which program wrote an export, and reads it; each program's format has a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from memory.importing.chats.chat_formats import chatgpt_chats, claude_chats
from memory.importing.chats.exported_chats import ExportedChat, UnexpectedShape
from memory.importing.chats.hindsight_formats import hindsight_chats, is_of_hindsight
from memory.importing.chats.letta_formats import is_of_letta, letta_chats
from memory.importing.chats.mem0_formats import is_of_mem0, mem0_chats
from memory.importing.chats.refusal_reasons import RefusalReason
from memory.importing.chats.zep_formats import is_of_zep, zep_chats


class ExportFormat(NamedTuple):
    """How a program's exports are recognised, and read."""

    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[dict[str, Any]], list[ExportedChat]]


FORMATS: Final[Mapping[str, ExportFormat]] = {
    "chatgpt": ExportFormat(lambda value: "mapping" in value, chatgpt_chats),
    "claude": ExportFormat(lambda value: "chat_messages" in value, claude_chats),
    "mem0": ExportFormat(is_of_mem0, mem0_chats),
    "letta": ExportFormat(is_of_letta, letta_chats),
    "hindsight": ExportFormat(is_of_hindsight, hindsight_chats),
    "zep": ExportFormat(is_of_zep, zep_chats),
}
"""The formats by source, tried in this order: the last is the least specific."""


def chats_of(value: Any, source: str = "") -> list[ExportedChat]:
    """What one value of an export holds, as the ``source`` writes it; "" for whichever does.

    Raises ``UnexpectedShape``.
    """
    wanted = [FORMATS[source]] if source else FORMATS.values()
    found = next((each for each in wanted if isinstance(value, dict) and each.recognises(value)), None)
    if found is None and source:
        raise UnexpectedShape(RefusalReason.WRONG_PROGRAM)
    if found is None:
        raise UnexpectedShape(RefusalReason.UNKNOWN_PROGRAM)
    return found.read(value)
