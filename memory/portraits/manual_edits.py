"""Decides which lines of an edited portrait are the user's own now, and which sources they keep. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from foundation.ids import new_id
from foundation.text import tokenize
from memory.portraits.lines import words_of
from memory.portraits.markdown import ParsedLine
from memory.portraits.sentence_classifier import classify_sentence
from memory.portraits.types import LineSource, PortraitLine


def edited_lines(
    known: Sequence[PortraitLine], written: Sequence[ParsedLine], name: str, now: datetime
) -> tuple[PortraitLine, ...]:
    """The lines of the portrait as ``name`` edited it. An unchanged line keeps its sources, under its new heading."""
    before = {line.text: line for line in known}
    kept = {line.text for line in written}
    gone = [line for line in known if line.text not in kept]
    return tuple(
        _moved(before[line.text], line.section) if line.text in before else _as_written(line, gone, name, now)
        for line in written
    )


def _moved(line: PortraitLine, section: str) -> PortraitLine:
    return replace(line, section=section)


def _as_written(parsed: ParsedLine, gone: Iterable[PortraitLine], name: str, now: datetime) -> PortraitLine:
    """A line in the user's words, with the sources of every removed line that shares a word with it.

    One word is enough, because it cannot be known how much of the old line the new one took over.
    """
    words = words_of(parsed.text) - frozenset(tokenize(name))
    sources: dict[LineSource, None] = {}
    for line in gone:
        if words & words_of(line.text):
            sources |= dict.fromkeys(line.all_sources())
    reading = classify_sentence(parsed.text, name, now)
    return PortraitLine(
        new_id(), parsed.text, parsed.section, now,
        sources=tuple(sources), stated=True, slot=reading.slot, value=reading.value,
    )  # fmt: skip
