"""Refuses wishes for the style of answers that are not to become memories."""

from __future__ import annotations

from typing import Final

from consent.permit import Permit
from foundation.language import split_sentences
from memory.evolution import style_preferences
from memory.evolution.quality_gateway import Refusal
from memory.evolution.slots import INSTRUCTION, OWN_SENTENCE, infer_slot
from memory.evolution.types import StatementCandidate
from memory.models import ConversationEvent, MemoryItem

_LANGUAGE: Final = "language.reply"
_MANNERS: Final = {"reply_style": "persona.", _LANGUAGE: "persona.reply_language"}
"""Slots of wishes for a form of answer, and the slots of persona preferences that store the same wish."""
_ANY_MANNER: Final = "persona."


def style_refusal(permit: Permit, candidate: StatementCandidate, event: ConversationEvent) -> Refusal | None:
    """Why a wish for the style of answers is not learned here.

    Reasons: learning such wishes is off, the wish is only for now, or it was stored already as a persona preference.
    """
    if not style_preferences.is_style(candidate):
        return None
    if not style_preferences.may_be_learned():
        return "write_back_off"
    return (
        "said_for_now"
        if style_preferences.is_for_now(candidate, event.text)
        else _manner_refusal(permit, candidate, event)
    )


def _manner_refusal(permit: Permit, candidate: StatementCandidate, event: ConversationEvent) -> Refusal | None:
    """Refuse a wish for a form of answer that was kept already as a persona preference."""
    slot = candidate.attributes["slot"]
    manners = dict(_MANNERS)
    if candidate.rule in OWN_SENTENCE and slot == INSTRUCTION:
        slot = infer_slot(candidate.quote, slot)
        if len(split_sentences(event.text)) == 1:  # what was stored of the message is this sentence
            manners[INSTRUCTION] = _ANY_MANNER
    if slot not in manners:
        return None
    mine = MemoryItem.objects.owned_by(permit.user_id).open()
    same = mine.taught_by([event.pk]).filter(
        memory_type=MemoryItem.MemoryType.PERSONA_PREFERENCE, attributes__slot__startswith=manners[slot]
    )
    replaces = slot == _LANGUAGE and mine.filter(attributes__slot=slot).exists()  # or the old wish would stay
    return "kept_as_manner" if not replaces and same.exists() else None
