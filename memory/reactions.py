"""Implicit feedback: how a user's next message takes the answer before it, by pattern."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from foundation.language import normalize
from foundation.lexicon import read_lexicon
from memory.mentions import core_terms

_WORDS: Final = read_lexicon(__file__)

OPENING: Final = 120
"""How many characters of a message are read: a verdict on an answer stands at its beginning."""


class Reaction(StrEnum):
    """The user's feedback to a line of a receipt (``user_feedback_signal``)."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    RESTATED = "restated"  # the user has to say again what they said before
    FOLLOW_UP = "follow_up"
    TOPIC_CHANGE = "topic_change"
    SILENCE = "silence"  # nothing was said, or nothing but "thanks"


def reaction_to(answer: str, message: str) -> Reaction:
    """Classify how ``message``, said right after ``answer``, takes it. Chinese and English.

    A denial outweighs a yes ("yes, but I no longer hold it"); a yes that goes on asking is a follow-up.
    """
    opening = normalize(message).strip()[:OPENING]
    if not _PUNCTUATION.sub("", opening):
        return Reaction.SILENCE
    if _DENIES.search(_HARMLESS.sub(" ", opening)):
        return Reaction.NEGATIVE
    if _RESTATES.search(opening):
        return Reaction.RESTATED
    affirmed = _AFFIRMS.match(opening)
    if affirmed and not _GOES_ON.search(opening[affirmed.end() :]):
        return Reaction.POSITIVE
    if _POLITE.fullmatch(opening):
        return Reaction.SILENCE
    if affirmed or _FOLLOWS.search(opening) or core_terms(message) & core_terms(answer):
        return Reaction.FOLLOW_UP
    return Reaction.TOPIC_CHANGE


_PUNCTUATION: Final = re.compile(r"[\W_]+")
_END_ZH = r"(?=$|[\s,，.。!！~;；、])"
# What only sounds like a denial: taken out before one is looked for.
_HARMLESS: Final = _WORDS.pattern("harmless")
_DENIES: Final = _WORDS.pattern("denies")
_RESTATES: Final = _WORDS.pattern("restates")
_AFFIRMS: Final = re.compile(rf"(?:(?:{_WORDS.phrase('affirms_1')})[\s,，.!！]*)?(?:{_WORDS.phrase('affirms_2')})")
# After a yes: the conversation goes on about it.
_GOES_ON: Final = _WORDS.pattern("goes_on")
_POLITE: Final = re.compile(rf"(?:(?:{_WORDS.phrase('polite')})[\s,，.。!！~]*)+")
_FOLLOWS: Final = _WORDS.pattern("follows")
