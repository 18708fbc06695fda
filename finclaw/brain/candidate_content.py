"""What a candidate tells, read by the rules by which people's statements are read. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from finclaw.brain.question_slots import RequestedSlots
from finclaw.brain.types import PromptCandidate
from foundation.text import statements_in, tokenize, without_quoted_questions
from memory.evolution.slots import STATEMENT
from memory.profiles.sentence_classifier import classify_sentence


def with_told_slot(item: PromptCandidate, asked: RequestedSlots, name: str) -> PromptCandidate:
    """The candidate with the slot that it tells of ``name``, if that is asked for: what was handed in as it stands
    ("Lives in Berlin", "Alice lives in Berlin") has none, nor has what is kept as a sentence.
    """
    if item.kind != "item" or item.slot not in ("", STATEMENT) or not asked.slots:
        return item
    slot = classify_sentence(item.text, name, item.occurred_at).slot
    return replace(item, slot=slot) if asked.covers(slot) else item


def is_informative(candidate: PromptCandidate, terms: Collection[str]) -> bool:
    """Whether it tells anything to a question of these index ``terms``: a message that only asked does not, nor does an
    event that shares no word with the question but in one that it quotes.
    """
    if candidate.kind == "turn":
        return bool(statements_in(candidate.text))
    told = without_quoted_questions(candidate.text) if candidate.kind == "event" else candidate.text
    return told == candidate.text or not set(terms).isdisjoint(tokenize(told))
