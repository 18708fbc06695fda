"""Finds messages that a later message of the same speaker replaces, whether or not memories were learned. Pure.

A later message on the same matter replaces nothing by itself: its words must announce a change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from finclaw.brain.types import PromptCandidate
from foundation.lexicon import read_lexicon
from memory.mentions import core_terms

_WORDS: Final = read_lexicon(__file__)

# A change: "I no longer run", "I sold it", 改成.
_CHANGES: Final = _WORDS.pattern("changes", re.IGNORECASE)
# How things are now: "I live in Rome these days", 现在.
_HOLDS_NOW: Final = _WORDS.pattern("holds_now", re.IGNORECASE)
# A correction, which is a change, too: "Actually, it was Rome", "I meant Rome", 说错.
_CORRECTS: Final = _WORDS.pattern("corrects", re.IGNORECASE)
_MOST_OF_THE_SHORTER: Final = 0.5  # share of the shorter text's terms, where the later message announces a change
_ENOUGH_OF_THE_SHORTER: Final = 1 / 3  # the same share, where the later message announces a correction
_MOST_OF_THE_OLDER: Final = 0.6  # share of the older text's terms, where the later only says how things are now
_ENOUGH: Final = 2  # terms in common, where the later message only says how things are now


def find_restatements(candidates: Sequence[PromptCandidate]) -> dict[UUID, UUID]:
    """Each replaced message's id with the id of the message that replaces it; the latest where several do."""
    said = sorted(
        (candidate for candidate in candidates if candidate.kind == "turn"), key=lambda candidate: candidate.occurred_at
    )
    return {
        older.id: later.id
        for number, later in enumerate(said)
        if _speaks_of_change(later.text)  # checked first, since most messages do not
        for older in said[:number]
        if older.said_by == later.said_by
        and older.occurred_at < later.occurred_at
        and may_contradict(later.text, older.text)
    }


def _speaks_of_change(text: str) -> bool:
    return bool(_CHANGES.search(text) or _HOLDS_NOW.search(text))


def may_contradict(later: str, older: str) -> bool:
    """Whether a later text, which announces a change, is about what the older one said: by the terms they share."""
    new, old = core_terms(later), core_terms(older)
    shared = len(new & old)
    if not shared:
        return False
    if _CHANGES.search(later):
        # "sold" announces the change; it is not what the message is about
        changing = core_terms(" ".join(mark.group() for mark in _CHANGES.finditer(later)))
        least = _ENOUGH_OF_THE_SHORTER if _CORRECTS.search(later) else _MOST_OF_THE_SHORTER
        return shared >= least * min(len(old), len(new - changing))
    return shared >= max(_ENOUGH, _MOST_OF_THE_OLDER * len(old))
