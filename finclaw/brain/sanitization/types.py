"""What sanitization speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """What became of a text on its way into the prompt (seed B §4.1 step 1.5)."""

    PASS = "pass"  # noqa: S105  an outcome, no password
    SANITIZED = "sanitized"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Sanitized:
    """A text as it may stand in a prompt: empty where it is blocked. ``rule`` names what was hit first."""

    text: str
    result: Result = Result.PASS
    rule: str = ""
