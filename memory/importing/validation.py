"""Checks that every import format shares."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import ValidationError

from foundation.exceptions import FinClawError, ValidationFailed
from memory.content_blocks import checked_blocks

MAX_NAME = 60  # of a person, as an account's display name
MAX_REF = 80


class BadRecord(Exception):
    """One record cannot be imported; the sentence says why without quoting it."""


def text_blocks(*texts: str, known_names: Collection[str] = ()) -> tuple[dict[str, Any], ...]:
    """A text block for each text, masked but for the speakers' names.

    Raises ``BadRecord`` for an empty or oversized message, a NUL character, or a secret in it.
    """
    if any("\x00" in text for text in texts):
        raise BadRecord("The text holds a NUL character.")
    try:
        return checked_blocks([{"type": "text", "text": _storable(text)} for text in texts], known_names)
    except FinClawError as error:
        raise BadRecord(_sentences(error)) from None


def describe_errors(error: ValidationError) -> str:
    """A schema's objections by field; pydantic's own message would quote what it refuses."""
    return "; ".join(f"{_field(detail['loc'])}: {detail['msg']}" for detail in error.errors(include_input=False))


def _field(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "record"


def _storable(text: str) -> str:
    # A lone surrogate, which JSON may spell, has no UTF-8.
    return text.encode("utf-8", "replace").decode()


def _sentences(error: FinClawError) -> str:
    if not isinstance(error, ValidationFailed):
        return error.message
    return " ".join(sentence for sentences in error.details.values() for sentence in sentences)
