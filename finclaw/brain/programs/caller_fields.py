"""Decides how the fields that a program sends for the model are passed on to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from consent.sensitive.program_texts import screened_strings
from foundation.llm.types import CallerFields

ABOUT_TOOLS: Final = frozenset({"tools", "tool_choice", "parallel_tool_calls"})


def caller_fields(given: Mapping[str, Any], max_tokens: int | None, known_names: Collection[str]) -> CallerFields:
    """The fields with their strings screened; those about tools only where there are tools. Raises ``SensitiveInput``.

    Numbers are not screened: a ``seed`` may look like a card number.
    """
    kept = {name: value for name, value in given.items() if given.get("tools") or name not in ABOUT_TOOLS}
    screened = {
        name: value if isinstance(value, int) else screened_strings(value, known_names) for name, value in kept.items()
    }
    return CallerFields(screened, max_tokens)
