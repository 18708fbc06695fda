"""Rewords what a speaker says of themselves into the third person, understandable on any later day. Pure."""

from __future__ import annotations

import re
from typing import Final

from foundation.language.inflection import third_person, third_person_pronouns
from foundation.lexicon import read_lexicon
from memory.evolution.types import Utterance
from memory.rewriting.rule_rewriter import with_absolute_times
from memory.rewriting.types import EventClock

_WORDS: Final = read_lexicon(__file__)

_PLEASE = _WORDS.of("en").pattern("please", re.IGNORECASE)
_THESE_DAYS = _WORDS.pattern("these_days")
"""Words for the present that a memory's own time of validity already says."""
SECRET: Final = _WORDS.pattern("secret", re.IGNORECASE)
"""Words of secrets, which no memory keeps even where no classifier recognised them."""
_SPOKEN: Final = _WORDS.of("en").patterns("spoken")
_FILLERS = _WORDS.pattern("fillers")
_SELF_ZH: Final = _WORDS.of("zh").patterns("self")


def in_third_person(content: str, utterance: Utterance, *, chinese: bool) -> str:
    """A first-person text without the first person, and with dates for "yesterday"."""
    clock = EventClock(utterance.said_at, utterance.time_zone, language="zh" if chinese else "en")
    if not chinese:
        return third_person_pronouns(with_absolute_times(_THESE_DAYS.sub("", content), clock))
    for replacement, pattern in _SELF_ZH.items():
        content = pattern.sub(replacement, content)
    return with_absolute_times(_THESE_DAYS.sub("", content), clock)


def as_sentence(words: str, *, chinese: bool) -> str:
    """A text of the speaker as a sentence without subject: "I just wanna learn" as "Wants to learn"."""
    text = _FILLERS.sub("", words if chinese else third_person(_replace_spoken_forms(words)))
    return text[:1].upper() + text[1:]


def _replace_spoken_forms(text: str) -> str:
    for words, pattern in _SPOKEN.items():
        text = pattern.sub(words, text)
    return _PLEASE.sub("", text)
