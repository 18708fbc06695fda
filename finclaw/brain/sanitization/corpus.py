"""The labelled corpus of sanitization: injections in both languages, and harmless lines that look like them.

A line is ``language TAB result TAB text``; in the text ``\\n`` is a line break and ``\\uXXXX`` a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from foundation.labelled_corpus import Split, labelled_lines
from foundation.sanitization.types import SanitizationResult

PATH = Path(__file__).parent / "corpus.tsv"
_ESCAPE = re.compile(r"\\u(?P<code>[0-9a-f]{4})|\\n")
_HELD_OUT_SHARE = 3  # about every third line, by its hash, is held out and scored apart, which reveals overfitting


@dataclass(frozen=True, slots=True)
class SanitizationExample:
    """A labelled text: the expected result, and the part of the corpus it belongs to."""

    number: int
    language: str
    expected: SanitizationResult
    text: str
    split: Split

    @property
    def is_harmful(self) -> bool:
        """Whether it must not be injected unchanged."""
        return self.expected is not SanitizationResult.PASS


def read_corpus(path: Path = PATH) -> Iterator[SanitizationExample]:
    """The lines of the corpus in order. Raises ``ValueError`` for a malformed line or an unknown result."""
    for number, (language, expected, text), split in labelled_lines(path, fields=3):
        yield SanitizationExample(number, language, SanitizationResult(expected), _ESCAPE.sub(_unescape, text), split)


def _unescape(escape: re.Match[str]) -> str:
    return chr(int(escape["code"], 16)) if escape["code"] else "\n"
