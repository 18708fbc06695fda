"""Limits how much text a program may send besides its user's messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.conf import settings

from finclaw.brain.programs.chats import ChatMessage
from foundation.exceptions import FinClawError

MESSAGES_OF_ROOM: Final = 25
"""The limit on instructions, fields and tools' answers together, as a multiple of the longest message."""


class PromptTooLong(FinClawError):
    """``details``: the most characters."""

    code = "context_length_exceeded"
    default_message = "That is too long for the model. Send less of it, or in parts."


def require_room(said: Iterable[Any]) -> None:
    """Raise ``PromptTooLong`` where these values of JSON are longer than a program may say at once."""
    most = MESSAGES_OF_ROOM * settings.MAX_MESSAGE_CHARS
    if sum(len(json.dumps(value, ensure_ascii=False)) for value in said) > most:
        raise PromptTooLong(details={"most_chars": most})


def beside_history(messages: Sequence[ChatMessage]) -> Iterator[dict[str, Any]]:
    """What the model is sent of a chat whatever its length: instructions, the last message and what follows it."""
    last = max((at for at, message in enumerate(messages) if message.role == "user"), default=0)
    for at, message in enumerate(messages):
        if at >= last or message.role == "instructions":
            yield asdict(message)
