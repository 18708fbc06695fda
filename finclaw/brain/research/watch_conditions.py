"""Compares watch questions by the condition they ask about, whatever fixed words surround it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from finclaw.brain.research.wording import phrase
from foundation.text import normalize

_OPENINGS: Final = (phrase("en", "has_it_come", condition=""), phrase("zh", "has_it_come", condition=""))


def normalize_condition(question: str) -> str:
    """The condition a question asks about, normalized and without our fixed opening."""
    bare = question.strip()
    opening = next((prefix for prefix in _OPENINGS if bare.startswith(prefix.strip())), "")
    return normalize(bare[len(opening.strip()) :]).strip()


def merge_known_questions(questions: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The questions, one for each condition, in the words of a ``known`` question on the same condition."""
    asked = {normalize_condition(question): question for question in known}
    return tuple(
        {
            normalize_condition(question): asked.get(normalize_condition(question), question) for question in questions
        }.values()
    )
