"""Classifies what a message wants by rules, and says how sure they are of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import compress
from typing import Final

from django.utils import timezone
from pydantic import TypeAdapter

from finclaw.brain.types import Intent, IntentType
from finclaw.brain.understanding.aliases import asset_in
from finclaw.brain.understanding.asking_sentences import (
    asking_sentences,
    is_about_speaker,
    is_asked_for,
    is_brief,
    relies_on_history,
)
from finclaw.brain.understanding.finance import is_financial, tickers_in
from finclaw.brain.understanding.named_entities import named_entities
from finclaw.brain.understanding.question_slots import requested_slots
from finclaw.brain.understanding.short_followups import FOLLOW_UP, is_short_followup
from finclaw.brain.understanding.work_requests import requested_work
from foundation.language import ParsedMessage, courtesy_in, is_question
from foundation.lexicon import read_lexicon

_WORDS = read_lexicon(__file__)
_INTENTS: Mapping[IntentType, re.Pattern[str]] = TypeAdapter(dict[IntentType, re.Pattern[str]]).validate_python(
    _WORDS.patterns("intents", re.IGNORECASE)
)
_STATEMENT = _WORDS.pattern("statement", re.IGNORECASE)

_TOLD_FIRST: frozenset[IntentType] = frozenset({"correction", "memory_check"})  # decided before the sentence's shape
_CONFIDENCE: Mapping[IntentType, float] = {
    "small_talk": 0.95,
    "correction": 0.8,
    "memory_check": 0.8,
    "statement": 0.7,
    "knowledge_question": 0.7,
    "chat": 0.7,
    "research": 0.7,
}
"""How sure the rules are, unless ``_DOUBTED`` applies: below ``message_reading.SURE`` a model is asked."""
_SURE_OF_WORK: Final = 0.9
_SURE_OF_FOLLOWUP: Final = 0.8
_DOUBTED: Final = 0.4  # of a message that is open, or means what was said before it: a model is asked
REFERS_BACK: Final = "refers_back"
"""The hint by which an intent says that its message is only understood after what was said before it."""


def classify(message: ParsedMessage, now: datetime | None = None, *, has_history: bool = False) -> Intent:
    """The intent by rules: small talk, the first rule that matches, then the shape of the sentences; and what the
    message names, by the wall clock ``now``. With ``has_history`` it may refer to what was said before it.
    """
    asking = asking_sentences(message)
    asks = any(map(is_question, asking))
    intent_type = _classify_by_words(message.text, asking) or _classify_by_shape(message.text, asks=asks)
    work = None if intent_type in _TOLD_FIRST else requested_work(message)
    intent_type = "research" if work == "research" else intent_type
    follows_up = is_short_followup(message)
    refers_back = has_history and not follows_up and relies_on_history(message, asking)
    sure = max(_CONFIDENCE[intent_type], _SURE_OF_WORK * bool(work), _SURE_OF_FOLLOWUP * follows_up)
    is_told = intent_type in _TOLD_FIRST or bool(work) or follows_up
    is_doubtful = not is_told and (refers_back or _is_open(message, intent_type, asking))
    confidence = _DOUBTED if is_doubtful else sure
    hints = compress(("question", FOLLOW_UP, REFERS_BACK), (asks, follows_up, refers_back))
    named = named_entities(message.text, now or timezone.make_naive(timezone.now()))
    return Intent(intent_type, confidence, work is not None, named, tuple(hints))


def _is_open(message: ParsedMessage, intent_type: IntentType, asking: Sequence[str]) -> bool:
    """Whether the rules cannot tell what would answer a message.

    A request about finance, or a brief question about an asset, may be one for work. A brief request for advice, or a
    brief question about the user of which no slot is known, needs more of what is remembered than its own words find.
    """
    if any(is_asked_for(sentence) and is_financial(sentence) for sentence in asking):
        return True
    if not is_brief(message):
        return False
    if any(tickers_in(sentence) or asset_in(sentence) for sentence in asking):
        return True
    if requested_slots(message.text).slots:
        return False
    return intent_type == "research" or any(map(is_about_speaker, asking))


def corrects(text: str) -> bool:
    """Whether a message corrects what was said or is remembered, by rule."""
    return _classify_by_words(text, ()) == "correction"


def _classify_by_words(text: str, asking: Sequence[str]) -> IntentType | None:
    """The intent that words tell. Words of research count only in a sentence that asks: not in thanks for advice."""
    if courtesy_in(text):
        return "small_talk"
    read = {name: asking if name == "research" else (text,) for name in _INTENTS}
    return next((name for name, pattern in _INTENTS.items() if any(map(pattern.search, read[name]))), None)


def _classify_by_shape(text: str, *, asks: bool) -> IntentType:
    if asks:
        return "knowledge_question"
    return "statement" if _STATEMENT.search(text) else "chat"
