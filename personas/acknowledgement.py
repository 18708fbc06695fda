"""The reply to a message that only wishes for a style: what holds now, and how to take it back. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from foundation.language import Language
from personas.types import Acknowledgement, MessageWishes, ModeChange
from personas.wording import FOR_NOW, FOR_TURN, FOR_TURNS, LASTING, ONE_WAY, REMEMBERED_TOO, USUAL, manners_in_words

_MannerPairs = tuple[tuple[str, str], ...]


def acknowledgement(
    inferred: MessageWishes, change: ModeChange, *, can_choose: bool, may_last: bool
) -> Acknowledgement | None:
    """The acknowledgement in each language; None where the message says anything else too.

    ``can_choose`` says whether modes can be chosen in this installation, ``may_last`` whether a wish for good is stored
    as a preference.
    """
    if not inferred.wishes_only:
        return None
    words, told = _sentence_and_manners(inferred, change, can_choose=can_choose, may_last=may_last)
    turns = inferred.asked_turns or change.after.ttl_turns
    return {
        language: wording.format(manners=manners_in_words(told, language), turns=turns)
        for language, wording in words.items()
    }


def with_memory_notice(told: Acknowledgement) -> Acknowledgement:
    """The acknowledgement with a notice that the wish is also a memory, which only the memory page takes back."""
    return {language: f"{sentence}{REMEMBERED_TOO[language]}" for language, sentence in told.items()}


def _sentence_and_manners(
    inferred: MessageWishes, change: ModeChange, *, can_choose: bool, may_last: bool
) -> tuple[dict[Language, str], _MannerPairs]:
    """The sentence in each language, and the manners that it names."""
    mode = ("mode", change.after.mode)
    kept = tuple(mode if signal.key == "mode" else (signal.key, signal.value) for signal in inferred.signals)
    if may_last and kept and all(signal.explicit for signal in inferred.signals):
        return LASTING, kept
    if not can_choose:
        return ONE_WAY, (mode,)
    if inferred.request is not None and inferred.request.mode is None:
        return USUAL, (mode, *kept)
    wished = tuple(_requested_manners(inferred, change))
    if mode not in wished or not change.after.ttl_turns:
        return FOR_NOW, wished
    return (FOR_TURN if inferred.asked_turns == 1 else FOR_TURNS), wished


def _requested_manners(inferred: MessageWishes, change: ModeChange) -> Iterator[tuple[str, str]]:
    """The manners that the message asked for; a mode implies its tone."""
    asked = inferred.request is not None and inferred.request.source == "user"
    if asked or any(signal.key == "mode" for signal in inferred.signals):
        yield "mode", change.after.mode
    for signal in inferred.signals:
        if signal.key != "mode" and not (asked and signal.key == "reply_tone"):
            yield signal.key, signal.value
