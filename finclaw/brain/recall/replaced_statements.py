"""Cuts from recalled messages the sentences that taught a memory which no longer holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from consent.permit import Permit
from finclaw.brain.recall.remainders import without_ended
from finclaw.brain.types import PromptCandidate
from memory.erasure.disclosure import ErasedWords
from memory.indexing.visibility import ended_items
from memory.models import MemoryItem
from memory.services.item_queries import items_of


def cut_replaced_sentences(
    permit: Permit, candidates: Sequence[PromptCandidate], name: str, terms: Collection[str]
) -> list[PromptCandidate]:
    """The candidates for a query of these index ``terms``; past messages lose what ``name`` said that has ended.

    A message stays marked past where its rest does not answer the query, or where the sentence to cut is not found.
    Call in a transaction acting for the user.
    """
    past = {candidate.id for candidate in candidates if candidate.kind == "turn" and candidate.is_past}
    taught = list(items_of(permit).taught_by(past)) if past else []
    return [
        _cut([item for item in taught if message.id in item.message_ids], message, name, terms)
        if message.id in past
        else message
        for message in candidates
    ]


def _cut(taught: Sequence[MemoryItem], message: PromptCandidate, name: str, terms: Collection[str]) -> PromptCandidate:
    ended = ended_items(taught)
    kept = [item.content for item in taught if item not in ended]
    said = [ErasedWords.of([(item.content, item.value)], kept=kept, names=(name,)) for item in ended]
    if not all(words.disclosed_in(message.text) for words in said):
        return message  # it says one of them in words that are not found
    return without_ended(message, lambda sentence: any(words.disclosed_by(sentence) for words in said), terms)
