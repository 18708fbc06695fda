"""Reads labelled messages of several writers ("voices"): which sentence teaches something lasting, and about whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TEACHING: Final = {
    "F": "fact", "P": "preference", "I": "instruction", "L": "plan", "O": "position", "C": "correction",
    "R": "retraction",
}  # fmt: skip
NOT_TEACHING: Final = {
    "-q": "question", "-s": "small talk", "-t": "task", "-o": "about others", "-x": "quotation or fiction",
    "-h": "hypothetical", "-j": "joke", "-e": "passing",
}  # fmt: skip
KINDS: Final = TEACHING | NOT_TEACHING
_BRACES = re.compile(r"\{([^{}]*)\}")
_LABEL = re.compile(r"(?P<kind>-[qstoxhje]|[FPILOCR])(?:@(?P<about>[^!:{}]+))?(?P<change>!)?(?::(?P<target>[^{}]*))?")


class BadLabel(ValueError):
    """A line whose labels cannot be read. The message names file and line, but quotes no text."""


@dataclass(frozen=True)
class LabelledSentence:
    """A part of a message that is judged by itself.

    ``about`` is empty for the speaker. If the sentence ``changes`` or ends an earlier statement, ``target`` names that
    in a few words, where the label does.
    """

    text: str
    kind: str
    about: str = ""
    changes: bool = False
    target: str = ""

    @property
    def teaches(self) -> bool:
        """Whether a careful assistant would keep it."""
        return self.kind in TEACHING.values()


@dataclass(frozen=True)
class LabelledMessage:
    """One message of a voice, with its sentences in order; ``text`` is what was typed."""

    voice: str
    sentences: tuple[LabelledSentence, ...]

    @property
    def language(self) -> str:
        """``en`` or ``zh``."""
        return self.voice.split("_", 1)[0]

    @property
    def text(self) -> str:
        """The message as it was typed."""
        return "".join(sentence.text for sentence in self.sentences).strip()

    @property
    def teaches(self) -> bool:
        """Whether any of its sentences does."""
        return any(sentence.teaches for sentence in self.sentences)


def read_voice(path: Path) -> Iterator[LabelledMessage]:
    """The messages of one voice's file, a line each; empty lines are passed over. Raises ``BadLabel``."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                yield LabelledMessage(path.stem, tuple(_parse_sentences(line)))
            except BadLabel:
                raise BadLabel(f"{path.name}:{number}") from None


def _parse_sentences(line: str) -> Iterator[LabelledSentence]:
    before, *rest = _BRACES.split(line.replace("\\n", "\n"))
    if before.strip() or not rest:
        raise BadLabel
    for label, text in zip(rest[::2], rest[1::2], strict=True):
        match = _LABEL.fullmatch(label)
        if not match or not text.strip():
            raise BadLabel
        kind = KINDS[match["kind"]]
        changes = bool(match["change"]) or kind in ("correction", "retraction")
        yield LabelledSentence(text, kind, match["about"] or "", changes, match["target"] or "")
