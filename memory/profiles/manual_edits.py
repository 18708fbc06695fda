"""A portrait in its person's own hand: which lines are theirs now, and what a changed one still holds of. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from foundation.ids import new_id
from foundation.text import tokenize
from memory.profiles.lines import words_of
from memory.profiles.markdown import Written
from memory.profiles.sentence_classifier import read
from memory.profiles.types import Line, Source


def edited(known: Sequence[Line], written: Sequence[Written], name: str, now: datetime) -> tuple[Line, ...]:
    """The lines that ``name`` wrote. One that stood there before keeps its sources, under the heading it has now."""
    before = {line.text: line for line in known}
    kept = {one.text for one in written}
    gone = [line for line in known if line.text not in kept]
    return tuple(
        _moved(before[one.text], one.section) if one.text in before else _stated(one, gone, name, now)
        for one in written
    )


def _moved(line: Line, section: str) -> Line:
    return replace(line, section=section)


def _stated(one: Written, gone: Iterable[Line], name: str, now: datetime) -> Line:
    """Nobody can tell how much of a line was taken over into the one that replaces it: a shared word is enough."""
    words = words_of(one.text) - frozenset(tokenize(name))
    sources: dict[Source, None] = {}
    for line in gone:
        if words & words_of(line.text):
            sources |= dict.fromkeys(line.all_sources())
    reading = read(one.text, name, now)
    return Line(
        new_id(), one.text, one.section, now,
        sources=tuple(sources), stated=True, slot=reading.slot, value=reading.value,
    )  # fmt: skip
