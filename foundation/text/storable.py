"""Turns text into what PostgreSQL can store."""

from __future__ import annotations

from typing import Any

_NUL = "\x00"


def storable_text(text: str) -> str:
    """The text without NUL. Two halves of a character are joined; a lone one, which UTF-8 cannot write, becomes "?"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        text = joined.encode("utf-8", "replace").decode()
    return text.replace(_NUL, "")


def storable_value(value: Any) -> Any:
    """A value read from JSON with every text in it, and every key, as ``storable_text``."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list):
        return [storable_value(entry) for entry in value]
    if isinstance(value, dict):
        return {storable_text(key): storable_value(entry) for key, entry in value.items()}
    return value


class StorablePieces:
    """A text that comes in pieces, each handed on as ``storable_text``; half a character waits for its other half."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        """Return what can be passed on of the text so far; a trailing half of a surrogate pair waits."""
        text, self._half = self._half + piece, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return storable_text(text)

    def end(self) -> str:
        """Return the half that still waited, if any."""
        half, self._half = self._half, ""
        return storable_text(half)
