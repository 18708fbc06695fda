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
    return _read_folder(FOLDER / guard / part, (POSITIVE[guard], NEGATIVE))


def read_ordinary_texts() -> list[GuardExample]:
    """Texts of daily life that sound like an order or a request and are neither: no guard finds anything in them."""
    return _read_folder(FOLDER / "ordinary" / "open", (NEGATIVE,))


def _read_folder(folder: Path, labels: tuple[str, ...]) -> list[GuardExample]:
    return [
        _example(values, path.stem, labels)
        for path in sorted(folder.glob("*.tsv"))
        for _, values, _ in labelled_lines(path, fields=3)
    ]


def _example(fields: tuple[str, ...], voice: str, labels: tuple[str, ...]) -> GuardExample:
    label, family, text = fields
    if label not in labels:
        raise ValueError(f"{voice} has the label {label!r}")
    return GuardExample(text.replace("\\n", "\n"), label != NEGATIVE, family, voice)
