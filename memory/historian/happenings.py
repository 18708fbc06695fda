"""Whether a sentence tells what its speaker did, what became of them, or what they are going to do."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import (
    language_of,
)
from foundation.language.inflection import is_past_tense
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_FEELING: Final = frozenset(_WORDS.of("en").words("feeling"))
_LEAD_EN: Final = _WORDS.of("en").pattern("lead", re.IGNORECASE)
_HAPPENED_EN: Final = frozenset(_WORDS.of("en").words("happened"))
_EVENT_AFTER: Final = _WORDS.of("en").pattern("event_after")
_PLANNED_EN: Final = _WORDS.of("en").pattern("planned", re.IGNORECASE)
_HAPPENED_ZH: Final = _WORDS.of("zh").pattern("happened")
_FEELING_ZH: Final = _WORDS.of("zh").pattern("feeling")
_PLANNED_ZH: Final = _WORDS.of("zh").pattern("planned")
_PROMISED: Final = _WORDS.pattern("promised", re.IGNORECASE)
_RECENT: Final = _WORDS.pattern("recent", re.IGNORECASE)
_NAME: Final = _WORDS.of("zh").pattern("name")
"""A name, a title or a figure. Chinese has no capitals: there it is the place that somebody goes to or comes from."""


_DROPPED_ZH: Final = _WORDS.of("zh").pattern("dropped")
_POSSESSED: Final = _WORDS.of("en").pattern("possessed")
"""Something or somebody of the speaker's: "my fatty liver", "my sister"."""


def with_dropped_subject(text: str) -> str:
    """A Chinese sentence with the 我 that it leaves out before its verb; any other as it is."""
    return f"我{text}" if _DROPPED_ZH.match(text) and "我" not in text else text


def is_past(text: str) -> bool:
    """Whether the first verb of an English sentence about its speaker is in the past."""
    match = _LEAD_EN.match(text)
    if match is None:
        return False
    verb = match["verb"].lower()
    return verb in ("was", "had") or (is_past_tense(verb) and verb not in ("has", "set", "put", "let", "read", "used"))


def is_promised(text: str) -> bool:
    """Whether a sentence says "I will": unless it says when, that is done at once or never."""
    return _PROMISED.search(text) is not None


def is_anchored(text: str) -> bool:
    """Whether a happening can be told from others of its kind: it has just come to pass, names something, gives a
    figure or is about something of the speaker's. (Its time is read by the grammar of time.)
    """
    return any(pattern.search(text) for pattern in (_RECENT, _NAME, _POSSESSED))


def reports_past_event(text: str) -> bool:
    """Whether a sentence tells what its speaker did or what became of them: "I sold BYD today", "昨天卖了比亚迪"."""
    if language_of(text) == "zh":
        return _HAPPENED_ZH.search(text) is not None and _FEELING_ZH.search(_first_clause(text)) is None
    match = _LEAD_EN.match(text)
    if match is None:
        return False
    verb = match["verb"].lower()
    if verb in ("was", "got", "had"):
        return _EVENT_AFTER.match(match["rest"]) is not None
    return (is_past_tense(verb) and verb not in _FEELING) or verb in _HAPPENED_EN


def _first_clause(text: str) -> str:
    return text[: min((at for at in (text.find(mark) for mark in ",，") if at > 0), default=len(text))]


def is_life_event(text: str) -> bool:
    """Whether a sentence tells of something that happens once in a life: "I got promoted", "I was born in Leeds"."""
    match = _LEAD_EN.match(text)
    return (
        match is not None and match["verb"].lower() in ("was", "got") and _EVENT_AFTER.match(match["rest"]) is not None
    )


def is_planned(text: str) -> bool:
    """Whether a sentence tells what its speaker is going to do or has decided."""
    return (_PLANNED_ZH if language_of(text) == "zh" else _PLANNED_EN).search(text) is not None
