"""The questions that a thread watches: which condition each asks for, in whatever words of ours around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from finclaw.brain.research.wording import phrase
from foundation.text import normalize

_OPENINGS: Final = (phrase("en", "has_it_come", condition=""), phrase("zh", "has_it_come", condition=""))


def normalize_condition(question: str) -> str:
    """What a question asks for, normalized and without the words that we put before it."""
    bare = question.strip()
    opening = next((prefix for prefix in _OPENINGS if bare.startswith(prefix.strip())), "")
    return normalize(bare[len(opening.strip()) :]).strip()


def merge_known_questions(questions: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The questions, each once by its condition, and in the words in which one of the ``known`` asks for the same."""
    asked = {normalize_condition(question): question for question in known}
    return tuple(
        {
            normalize_condition(question): asked.get(normalize_condition(question), question) for question in questions
        }.values()
    )
