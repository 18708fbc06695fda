"""Types of sanitization, and ``SafeText``, the only type that prompts are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

SafeText = NewType("SafeText", str)
"""A text that may stand in a prompt. Made by ``foundation.sanitization`` alone: ``sanitize`` for what is stored,
``as_data`` for what a call is about, ``trusted_text`` for our instructions. Prompts take nothing else.
"""


class SanitizationResult(StrEnum):
    """What sanitization did to a text: passed it, cut something out, or blocked it."""

    PASS = "pass"  # noqa: S105  an outcome, no password
    SANITIZED = "sanitized"
    BLOCKED = "blocked"


class ExclusionReason(StrEnum):
    """Why a line is left out: for what it says by itself, or for what the lines say together."""

    ITSELF = "itself"
    TOGETHER = "together"


@dataclass(frozen=True, slots=True)
class ExcludedLine:
    """A line that may not stand in a prompt, by its number, from 1. It never holds the words themselves."""

    line: int
    why: ExclusionReason


@dataclass(frozen=True, slots=True)
class SanitizedText:
    """A text as it may stand in a prompt: empty where it is blocked. ``rule`` names what was hit first."""

    text: SafeText
    result: SanitizationResult = SanitizationResult.PASS
    rule: str = ""
