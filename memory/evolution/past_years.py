"""Finds when something happened that a clause dates by a past year: "I moved to Beijing in 2019"."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from foundation.lexicon import read_lexicon
from memory.evolution.clauses import RuleInput
from memory.evolution.types import Utterance
from memory.rewriting.rule_rewriter import with_absolute_times
from memory.rewriting.types import EventClock

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BEFORE_IT = re.compile(
    rf"(?:^|[.!?;。！？；，,\n])\s*(?P<when>{read_lexicon(__file__).phrase('time')})[,，]?\s*$", re.IGNORECASE
)
LONGEST_BEFORE: Final = 40
"""How many characters before a clause are searched for the time it happened."""


def happened_by(statement: RuleInput, utterance: Utterance) -> datetime:
    """The latest moment at which what a clause tells may have happened: the end of the named year, or when it was said.

    Of a named month or day only the year counts: who moved lately may have spoken of the old home since.
    """
    clock = EventClock(utterance.said_at, utterance.time_zone, language="zh" if statement.chinese else "en")
    years = _YEAR.findall(with_absolute_times(_when_before(statement, utterance.text) + statement.text, clock))
    if not years:
        return utterance.said_at
    return min(utterance.said_at, datetime(int(years[-1]) + 1, 1, 1, tzinfo=ZoneInfo(utterance.time_zone)))


def _when_before(statement: RuleInput, text: str) -> str:
    """The "In 2019," that stood before a clause."""
    before = text[: max(text.find(statement.quote), 0)][-LONGEST_BEFORE:]
    found = _BEFORE_IT.search(before)
    return f"{found['when']} " if found else ""
