"""The labelled texts of the guards: a file a voice, a line a text with its label and family."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from foundation.guards.types import GuardName
from foundation.labelled_corpus import labelled_lines

FOLDER: Final = Path(__file__).parent / "guards"
POSITIVE: Final = {"boundary": "act", "injection": "attack"}
NEGATIVE: Final = "fine"
CorpusPart = Literal["open", "closed"]


@dataclass(frozen=True, slots=True)
class GuardExample:
    """A text that a guard is to find, ``is_positive``, or to let pass; ``voice`` begins with its language."""

    text: str
    is_positive: bool
    family: str
    voice: str

    @property
    def language(self) -> str:
        """``en`` or ``zh``."""
        return self.voice.split("_", 1)[0]


def read_guard_corpus(guard: GuardName, part: CorpusPart) -> list[GuardExample]:
    """The examples of a part, voice by voice. Raises ``ValueError`` for a line of another form or label."""
    return [
        _example(guard, values, path.stem)
        for path in sorted((FOLDER / guard / part).glob("*.tsv"))
        for _, values, _ in labelled_lines(path, fields=3)
    ]


def _example(guard: GuardName, fields: tuple[str, ...], voice: str) -> GuardExample:
    label, family, text = fields
    if label not in (POSITIVE[guard], NEGATIVE):
        raise ValueError(f"{voice} has the label {label!r}")
    return GuardExample(text.replace("\\n", "\n"), label != NEGATIVE, family, voice)
