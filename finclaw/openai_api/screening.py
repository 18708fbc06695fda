"""Screens what a program sends beside its user's messages before a model reads it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any, Final

from django.conf import settings

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import SAID, redact_text, screen_text
from foundation.exceptions import FinClawError

MESSAGES_OF_ROOM: Final = 25
"""A program may say as much beside a message as so many messages hold, in instructions, fields and tools' answers."""


class PromptTooLong(FinClawError):
    """``details``: the most characters."""

    code = "context_length_exceeded"
    default_message = "That is too long for the model. Send less of it, or in parts."


def require_room(said: Iterable[Any]) -> None:
    """Raise ``PromptTooLong`` where these values of JSON are longer than a program may say at once."""
    most = MESSAGES_OF_ROOM * settings.MAX_MESSAGE_CHARS
    if sum(len(json.dumps(value, ensure_ascii=False)) for value in said) > most:
        raise PromptTooLong(details={"most_chars": most})


def screened_strings(value: Any, known_names: Collection[str]) -> Any:
    """A value of JSON, its strings and whole numbers screened as what a user says. Raises ``SensitiveInput``."""
    match value:
        case dict():
            for key in value:
                screen_text(SAID, key)
            return {key: screened_strings(part, known_names) for key, part in value.items()}
        case list():
            return [screened_strings(part, known_names) for part in value]
        case None | bool() | float():
            return value
    kept = screen_text(SAID, str(value), known_names).text
    return value if kept == str(value) else kept


def screened_json(text: str, known_names: Collection[str]) -> str:
    """The same of a text that should be JSON, and is left as it is where nothing in it is masked."""
    try:
        given = json.loads(text)
        kept = screened_strings(given, known_names)
    except (ValueError, RecursionError):
        given = kept = None
    masked = text if kept == given else json.dumps(kept, ensure_ascii=False)
    return screen_text(SAID, masked, known_names).text


def masked_text(text: str) -> str:
    """A text that no person can reword, such as what a tool said: what must not be kept is masked in it."""
    try:
        return screen_text(SAID, text).text
    except SensitiveInput:
        return redact_text(text)
