"""Classifies what a message wants by rules, and says how sure they are of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from itertools import compress
from typing import Final

from django.utils import timezone
from pydantic import TypeAdapter

from finclaw.brain.types import Intent, IntentType
from finclaw.brain.understanding.named_entities import named_entities
from finclaw.brain.understanding.short_followups import FOLLOW_UP, is_short_followup
from finclaw.brain.understanding.work_requests import outer_sentences, requested_work
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
    "knowledge_question": 0.6,
    "research": 0.5,
    "chat": 0.4,
}
"""How sure the rules are. Below ``message_reading.SURE`` a model is asked: that something is asked, or talked about,
tells neither what it is about nor what would answer it.
"""
_SURE_OF_WORK: Final = 0.9
_SURE_OF_FOLLOWUP: Final = 0.8


def classify(message: ParsedMessage, now: datetime | None = None) -> Intent:
    """The intent by rules: small talk, the first rule that matches, then the shape of the sentences; and what the
    message names, by the wall clock ``now``.
    """
    asks = any(map(is_question, outer_sentences(message)))
    intent_type = _classify_by_words(message.text) or _classify_by_shape(message.text, asks=asks)
    work = None if intent_type in _TOLD_FIRST else requested_work(message)
    intent_type = "research" if work == "research" else intent_type
    follows_up = is_short_followup(message)
    confidence = max(_CONFIDENCE[intent_type], _SURE_OF_WORK * bool(work), _SURE_OF_FOLLOWUP * follows_up)
    hints = compress(("question", FOLLOW_UP), (asks, follows_up))
    named = named_entities(message.text, now or timezone.make_naive(timezone.now()))
    return Intent(intent_type, confidence, work is not None, named, tuple(hints))


def corrects(text: str) -> bool:
    """Whether a message corrects what was said or is remembered, by rule."""
    return _classify_by_words(text) == "correction"


def _classify_by_words(text: str) -> IntentType | None:
    if courtesy_in(text):
        return "small_talk"
    return next((name for name, pattern in _INTENTS.items() if pattern.search(text)), None)


def _classify_by_shape(text: str, *, asks: bool) -> IntentType:
    if asks:
        return "knowledge_question"
    return "statement" if _STATEMENT.search(text) else "chat"
