"""The three gates of an absolute text: no pronoun, no relative time, no relative place, in Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from memory.rewriting.protected_spans import harmless_spans, overlaps
from memory.rewriting.times_en import WEEKDAY
from memory.rewriting.types import Kind, Violation

_UNIT = rf"(?:week|month|year|weekend|quarter|night|spring|summer|autumn|fall|winter|{WEEKDAY})"

# Longer Chinese pronouns come first so that 他们 is reported whole; the set is that of the specification.
GATES: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("pronoun", re.compile(r"他们|她们|它们|这位|那位|[我你]们|我|你|他|她|它")),
    ("relative_time", re.compile(r"今天|昨天|明天|刚才|刚刚|稍后|上周|下周|最近")),
    ("relative_place", re.compile(r"这里|那边|本地|当地|这儿|那儿")),
    (
        "pronoun",
        re.compile(
            r"\b(?:I|me|my|mine|myself|you|your|yours|yourself|yourselves|he|him|his|himself|she|her|"
            r"hers|herself|it|its|itself|"
            r"they|them|their|theirs|themselves|we|us|our|ours|ourselves)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "relative_time",
        re.compile(
            r"\b(?:today|yesterday|tomorrow|tonight|just now|recently|lately|later|soon|nowadays|these days|"
            r"the other day|(?:\w+ )?ago|from now"
            rf"|(?:last|next|this|(?:this|the) (?:past|coming)) {_UNIT}|this (?:morning|afternoon|evening)"
            r"|(?:week(?:end)?|month|quarter|year|night) (?:before last|after next)"
            r"|(?:end|beginning|start|middle) of the (?:week|month|quarter|year)(?! (?:of|\d)))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "relative_place",
        re.compile(r"\b(?:over here|over there|around here|here|there|locally|nearby)\b", re.IGNORECASE),
    ),
)


def violations(text: str) -> list[Violation]:
    """The words that the gates refuse, by position. Titles, quoted names and fixed expressions pass."""
    harmless = harmless_spans(text)
    found = {
        match.span(): Violation(kind, match.group(), *match.span())
        for kind, gate in GATES
        for match in gate.finditer(text)
        if not overlaps(*match.span(), harmless)
    }
    return [found[span] for span in sorted(found)]
