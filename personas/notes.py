"""Writes the notes on a conversation's mode: what its user asked for, and for how many messages. Pure.

They consist of the product's own wording and contain no word of a message.
"""

from __future__ import annotations

from collections.abc import Iterator

from foundation.language import Language, language_of
from personas.types import MessageWishes, ModeChange, Wishes
from personas.wording import (
    BETWEEN_NOTES,
    MANNERS,
    NOTED_HERE,
    NOTED_SUGGESTION,
    NOTED_USUAL,
    NOTED_WISH,
    manners_in_words,
    messages_in_words,
)


def note_of_change(change: ModeChange, inferred: MessageWishes) -> str:
    """What a message asked for, in its language: the mode and for how long, then the wishes of this conversation."""
    language = inferred.language
    parts = [*_notes_on_mode(change, inferred), note_of_wishes(change.after.wishes, language)]
    return BETWEEN_NOTES[language].join(filter(None, parts))


def note_of_wishes(wishes: Wishes, language: Language) -> str:
    """The wishes of this conversation; "" without any."""
    known = [wish for wish in wishes if wish in MANNERS]
    return NOTED_HERE[language].format(manners=manners_in_words(known, language)) if known else ""


def note_without_mode(notes: str, wishes: Wishes) -> str:
    """What is left of ``notes`` when the mode has ended: the wishes, in the language of the notes."""
    return note_of_wishes(wishes, language_of(notes))


def _notes_on_mode(change: ModeChange, inferred: MessageWishes) -> Iterator[str]:
    language, state = inferred.language, change.after
    if change.is_reset:
        yield NOTED_USUAL[language]
    elif state.mode_source != "default" and change.stored_mode is not None:
        noted = NOTED_WISH if state.mode_source == "user" else NOTED_SUGGESTION
        messages = messages_in_words(inferred.asked_turns or change.stored_mode.ttl_turns, language)
        yield noted[language].format(manner=MANNERS["mode", state.mode][language], messages=messages)
