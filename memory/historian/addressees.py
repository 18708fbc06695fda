"""Finds the member whom a message of a group addresses: the one called by name, or the only other recent speaker."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

MESSAGES_LOOKED_BACK: Final = 6
"""Messages looked back at: if just one other person spoke in them, that person is addressed."""
FEWEST_LETTERS: Final = 3
"""Letters of a short form by which somebody is called: "Mel" for Melanie."""
_CALLED: Final = _WORDS.of("en").pattern("called", re.IGNORECASE)
_SEVERAL: Final = _WORDS.pattern("several", re.IGNORECASE)
_SECOND: Final = _WORDS.pattern("second", re.IGNORECASE)
_MEANT: Final = _WORDS.pattern("meant", re.IGNORECASE)
"""Where "you" is somebody, and not anybody: "as you said", "I met you"; in "you never know" nobody is meant."""


@dataclass(frozen=True, slots=True)
class EarlierMessage:
    """An earlier message of the chat, as the name of its speaker."""

    speaker: str


def addressee_of(text: str, speaker: str, before: Sequence[EarlierMessage], others: Collection[str]) -> str:
    """The name of whom "you" means in a message of ``speaker``; empty where that is not clear.

    ``before`` are the messages before it, the latest last; ``others`` the names of everybody else in the chat, of the
    assistant too.
    """
    if _SEVERAL.search(text):
        return ""
    called = {name for match in _CALLED.finditer(text) for name in _named(match, others)}
    if called:
        return called.pop() if len(called) == 1 else ""
    spoke = [line.speaker for line in before[-MESSAGES_LOOKED_BACK:] if line.speaker != speaker]
    return spoke[-1] if spoke and len(set(spoke)) == 1 else ""


def addresses_one_person(sentence: str) -> bool:
    """Whether every "you" of a sentence means a certain person, not people in general."""
    found = len(_SECOND.findall(sentence))
    return found == len(_MEANT.findall(sentence))


def _named(match: re.Match[str], others: Collection[str]) -> list[str]:
    """The names that a form of address may stand for: the whole name, the first, or a short form."""
    word = next(group for group in match.groups() if group).casefold()
    return [name for name in others if _is_called(word, name.casefold())]


def _is_called(word: str, name: str) -> bool:
    return word in (name, *name.split()) or (len(word) >= FEWEST_LETTERS and name.startswith(word))
