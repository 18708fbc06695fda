"""Recognises questions about what is remembered of the user, as a whole or on a topic.

A grammar for each language turns a message into symbols (who is addressed, what is known, of whom, which topic); it is
such a question where nothing is left over. What the grammars do not know is read by a trained classifier. Linear in the
message, of which ``LONGEST`` characters are read.
"""

from __future__ import annotations

from typing import Final

from finclaw.brain.self_questions import grammar_en, grammar_zh
from finclaw.brain.self_questions.question_classifier import EVERYTHING, classify_question
from finclaw.brain.self_questions.types import SelfQuestion
from foundation.language import ParsedMessage, language_of
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

LONGEST: Final = 240
MOST_TOPICS: Final = 2
"""Topics that the classifier may find in a question."""
_OF_MEMORY: Final = _WORDS.pattern("of_memory")
"""The words of knowing, remembering and telling."""


def read_self_question(message: ParsedMessage) -> SelfQuestion | None:
    """The question about oneself that a message asks, or None."""
    if len(message.text) > LONGEST:
        return None
    said = message.spoken
    parsed = grammar_zh.read_chinese(said) if language_of(said) == "zh" else grammar_en.read_english(said)
    return parsed if parsed is not None else _classified(message)


def _classified(message: ParsedMessage) -> SelfQuestion | None:
    """The question that the classifier finds, for messages that no grammar reads. A question that it is not sure of
    counts only if something is known that could be listed.

    "What do I follow?" asks for a fact, which search answers; only what speaks of knowing and telling asks for a list.
    """
    found = classify_question(message.text) if _OF_MEMORY.search(message.normalized) else None
    if found is None:
        return None
    everything = found.topics[0] == EVERYTHING
    narrowed = () if everything else tuple(topic for topic in found.topics if topic != EVERYTHING)
    return SelfQuestion(narrowed[:MOST_TOPICS], is_direct=not found.is_sure)
