"""Limits how much text a program may send besides its user's messages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings

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
