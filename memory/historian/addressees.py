"""The member whom a message of a group addresses: the one called by name, or the only other recent speaker."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

LOOKED_BACK: Final = 6
"""Messages before one in which somebody else must have spoken, and nobody but them."""
FEWEST_LETTERS: Final = 3
"""Letters of a short form by which somebody is called: "Mel" for Melanie."""
_OPENS: Final = (
    r"(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|oh|ok(?:ay)?|sure|congrats|congratulations|great|good|nice|cool|"
    r"awesome|well|so|and|but|sorry|please|right|absolutely|definitely|exactly|totally|true|bye|morning|happy birthday)"
)
_CALLED: Final = re.compile(
    rf"@\s?(?P<at>\w{{1,40}})"
    rf"|\A(?:{_OPENS}\b[\s,!.]{{0,3}}(?:so much |a lot |again )?){{0,2}}(?P<first>[^\W\d_]{{2,40}})\s?[,，!！:：.]"
    r"|[,，]\s?(?P<last>[^\W\d_]{2,40})\s?[!！.。?？~～](?=\s|\Z)",
    re.IGNORECASE,
)
_SEVERAL: Final = re.compile(
    r"\b(?:you (?:guys|all|two|both|folks|girls|boys|lot|people|everyone)|y'?all|"
    r"(?:all|both|each|some|one|none) of you|everyone|everybody|team|guys|folks)\b|[你您]们|大家|各位|诸位",
    re.IGNORECASE,
)
_SECOND: Final = re.compile(r"\b(?:you|your|yours|yourself)\b|[你您]", re.IGNORECASE)
_MEANT: Final = re.compile(
    r"\b(?:to|with|for|from|told|tell|show|showed|gave|give|sent|send|see|saw|met|meet|call|called|ask|asked|invite|"
    r"invited|help|helped|owe|join|joined|visit|visited|text|texted|lent|remember) you\b"
    r"(?! (?:can|could|will|would|should|have|need|want|are|do|get|might|may|know|feel|never|always)\b)"
    r"|\byou (?:said|told|gave|recommended|suggested|mentioned|sent|asked|made|showed|lent|bought|invited|"
    r"helped|shared)\b"
    r"|[跟和给问陪帮请约送告诉找借][你您](?![们能会可要])|[你您](?:说|推荐|建议|提到|送|给|借|告诉|帮)",
    re.IGNORECASE,
)
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
    spoke = [line.speaker for line in before[-LOOKED_BACK:] if line.speaker != speaker]
    return spoke[-1] if spoke and len(set(spoke)) == 1 else ""


def is_meant(sentence: str) -> bool:
    """Whether every "you" of a sentence means a certain person, not people in general."""
    found = len(_SECOND.findall(sentence))
    return found == len(_MEANT.findall(sentence))


def _named(match: re.Match[str], others: Collection[str]) -> list[str]:
    """The names that a form of address may stand for: the whole name, the first, or a short form."""
    word = next(group for group in match.groups() if group).casefold()
    return [name for name in others if _is_called(word, name.casefold())]


def _is_called(word: str, name: str) -> bool:
    return word in (name, *name.split()) or (len(word) >= FEWEST_LETTERS and name.startswith(word))
