"""The questions that a thread watches: which condition each asks for, in whatever words of ours around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from finclaw.brain.research.wording import words
from foundation.text import normalize

_OPENINGS: Final = (words("en", "has_it_come", condition=""), words("zh", "has_it_come", condition=""))


def condition_of(question: str) -> str:
    """What a question asks for, normalized and without the words that we put before it."""
    bare = question.strip()
    opening = next((one for one in _OPENINGS if bare.startswith(one.strip())), "")
    return normalize(bare[len(opening.strip()) :]).strip()


def as_asked_before(questions: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The questions, each once by its condition, and in the words in which one of the ``known`` asks for the same."""
    asked = {condition_of(one): one for one in known}
    return tuple({condition_of(one): asked.get(condition_of(one), one) for one in questions}.values())
