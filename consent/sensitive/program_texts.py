"""Screens what a program sends beside its user's messages: JSON values, and texts that no person can reword."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import SAID, redact_text, screen_text


def screened_strings(value: Any, known_names: Collection[str]) -> Any:
    """A JSON value with its strings and integers screened like a user's message. Raises ``SensitiveInput``."""
    match value:
        case dict():
            for key in value:
                screen_text(SAID, key)
            return {key: screened_strings(part, known_names) for key, part in value.items()}
        case list():
            return [screened_strings(part, known_names) for part in value]
        case None | bool() | float():
            return value
    screened = screen_text(SAID, str(value), known_names).text
    return value if screened == str(value) else screened


def screened_json(text: str, known_names: Collection[str]) -> str:
    """``screened_strings`` for a text that should be JSON; the text is unchanged where nothing in it is masked."""
    try:
        given = json.loads(text)
        screened = screened_strings(given, known_names)
    except (ValueError, RecursionError):
        given = screened = None
    masked = text if screened == given else json.dumps(screened, ensure_ascii=False)
    return screen_text(SAID, masked, known_names).text


def masked_text(text: str) -> str:
    """A text that no person can reword, such as a tool's output: masked instead of refused."""
    try:
        return screen_text(SAID, text).text
    except SensitiveInput:
        return redact_text(text)
