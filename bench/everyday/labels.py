"""The messages of the voices in this folder, read as the product's evaluation reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from memory.evaluation.voices import (
    KINDS,
    NOT_TEACHING,
    TEACHING,
    BadLabel,
    LabelledMessage,
    LabelledSentence,
    read_voice,
)

__all__ = [
    "FOLDER", "KINDS", "NOT_TEACHING", "TEACHING", "BadLabel", "LabelledMessage", "LabelledSentence", "Part",
    "read_voice", "read_voices",
]  # fmt: skip

FOLDER: Final = Path(__file__).parent
Part = Literal["open", "closed"]


def read_voices(part: Part) -> list[LabelledMessage]:
    """All messages of a part, voice by voice. Raises ``BadLabel``."""
    return [message for path in sorted((FOLDER / part).glob("*.txt")) for message in read_voice(path)]
