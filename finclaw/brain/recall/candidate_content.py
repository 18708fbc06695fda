"""Reads what a candidate states, by the rules that read users' statements. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.question_slots import RequestedSlots
from foundation.text import statements_in, tokenize, without_quoted_questions
from memory.evolution.slots import STATEMENT
from memory.profiles.sentence_classifier import classify_sentence


def with_told_slot(item: PromptCandidate, requested: RequestedSlots, name: str) -> PromptCandidate:
    """The candidate with the slot its text fills for ``name``, if the query asks for it: verbatim memories ("Lives in
    Berlin") and whole sentences have no slot of their own.
    """
    if item.kind != "item" or item.slot not in ("", STATEMENT) or not requested.slots:
        return item
    slot = classify_sentence(item.text, name, item.occurred_at).slot
    return replace(item, slot=slot) if requested.covers(slot) else item


def is_informative(candidate: PromptCandidate, terms: Collection[str]) -> bool:
    """Whether the candidate says anything in reply to a query of these index ``terms``: a message that only asked does
    not, nor an event that shares only a quoted word with the query.
    """
    if candidate.kind == "turn":
        return bool(statements_in(candidate.text))
    told = without_quoted_questions(candidate.text) if candidate.kind == "event" else candidate.text
    return told == candidate.text or not set(terms).isdisjoint(tokenize(told))
