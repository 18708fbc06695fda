"""Finds by a table which memory slots a question asks for, even where it shares no word with the memory.

A slot names what a memory gives the value of. "How old am I?" asks for an age, "Which town is home?" for a place of
residence. Chinese and English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from foundation.language import asks_about_earlier_questions, normalize
from foundation.lexicon import read_lexicon
from foundation.text import tokenize


@dataclass(frozen=True)
class SlotQuestion:
    """One row of the table: the words of a question, the slots that answer it, and the labels such memories are filed
    under. A slot includes those below it: ``holds`` includes ``holds.aapl``.
    """

    asks: re.Pattern[str]
    slots: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class RequestedSlots:
    """The slots that a question asks for, and the index tokens under which search finds them.

    ``about_past`` marks a question about how things were, ``about_questions`` one about earlier questions, ``is_open``
    one for which of many ("What do I like?") rather than whether ("Do I like jazz?"). ``frame`` are the index tokens
    that only form the question.
    """

    slots: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    about_past: bool = False
    about_questions: bool = False
    is_open: bool = False
    frame: frozenset[str] = frozenset()

    def covers(self, slot: str) -> bool:
        """Whether a value of ``slot`` answers the question."""
        return bool(slot) and any(
            slot == requested or slot.startswith((f"{requested}.", f"{requested}_", f"{requested}:"))
            for requested in self.slots
        )


def requested_slots(text: str) -> RequestedSlots:
    """The slots that a message asks for."""
    said = normalize(text)
    found = [(topic, match) for topic in _TOPICS if (match := topic.asks.search(said))]
    labels = dict.fromkeys(token for topic, _ in found for label in topic.labels for token in tokenize(label))
    return RequestedSlots(
        _each_once(topic.slots for topic, _ in found),
        tuple(labels),
        about_past=_PAST.search(said) is not None,
        about_questions=asks_about_earlier_questions(said),
        is_open=_OPEN.search(said) is not None,
        frame=frozenset(token for _, match in found for token in tokenize(match.group())),
    )


def _each_once(slots: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(slot for some in slots for slot in some))


_WORDS: Final = read_lexicon(__file__)
_PAST: Final = _WORDS.pattern("past")
"""How a question asks for what was, not for what is."""
_OPEN: Final = _WORDS.pattern("open")
_SLOTS_AND_LABELS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "home": (("home",), ("home",)),
    "job": (("job", "job_status", "field", "business", "employer"), ("work",)),
    "employer": (("employer", "business"), ("work",)),
    "age": (("age",), ("identity",)),
    "birthday": (("birthday",), ("identity",)),
    "origin": (("origin", "hometown"), ("identity",)),
    "address": (("address", "name"), ("identity",)),
    "marital": (("marital",), ("family",)),
    "diet": (("diet", "allergy"), ("diet",)),
    "reply_style": (("reply_style", "language.reply", "instruction"), ("preference", "language", "instruction")),
    "language_speaks": (("language.speaks", "learning"), ("language", "hobby")),
    "budget": (("budget", "constraint.limit"), ("constraint",)),
    "risk": (("risk",), ("finance",)),
    "horizon": (("horizon",), ("finance",)),
    "holds": (("holds",), ("holding",)),
    "follows": (("follows",), ("watch-list",)),
    "possession": (("possession",), ("possession",)),
    "uses": (("uses",), ("habit",)),
    "likes": (("likes", "favourite", "activity", "skills"), ("preference", "hobby", "identity")),
    "dislikes": (("dislikes", "diet", "allergy"), ("preference", "diet")),
    "schedule": (("schedule", "appointment"), ("schedule",)),
    "studies": (("studies", "school", "education"), ("work", "history")),
    "learning": (("learning",), ("hobby",)),
    "goal": (("goal",), ("goal",)),
    "family": (("family",), ("family",)),
}
"""The slots that a topic of the table asks for, and the labels under which search finds them."""
_TOPICS: Final = tuple(
    SlotQuestion(pattern, *_SLOTS_AND_LABELS[name]) for name, pattern in _WORDS.patterns("topics").items()
)
