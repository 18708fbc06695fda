"""Compares a thread's earlier result with its new one: inferences, the side of the thesis, the conditions watched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from finclaw.brain.material.polarity import side_of
from finclaw.brain.research.wording import phrase
from foundation.language import Language, normalize
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.research.types import ChangedInference, ResearchStatement, SnapshotDraft

SAME_MATTER: Final = 0.3
"""The share of the shorter statement's tokens that both hold, from which on they are about the same matter."""
_RETRACTED: Final = read_lexicon(__file__).pattern("retracted", re.IGNORECASE)
_OPENINGS: Final = (  # "Has it come that …"
    phrase("en", "has_it_come", condition=""),
    phrase("zh", "has_it_come", condition=""),
)


def compare_inferences(
    before: Sequence[ResearchStatement], after: Sequence[ResearchStatement]
) -> tuple[ChangedInference, ...]:
    """The statements that differ, each new one paired with the one it replaces: of the same matter and date."""
    gone = _not_among(before, after)
    changes: list[ChangedInference] = []
    for new in _not_among(after, before):
        same_time = (statement for statement in gone if statement.dated_at == new.dated_at)
        replaced = max(same_time, key=lambda old: shared_words(old.text, new.text), default=None)
        if replaced and shared_words(replaced.text, new.text) >= SAME_MATTER:
            gone.remove(replaced)
            changes.append(ChangedInference(replaced.text, new.text))
        else:
            changes.append(ChangedInference("", new.text))
    return (*changes, *(ChangedInference(old.text, "") for old in gone))


def inferences_of(draft: SnapshotDraft) -> tuple[ResearchStatement, ...]:
    """Every inference of a snapshot, its thesis first."""
    return (ResearchStatement(draft.main_thesis), *draft.evidence, *draft.counter_thesis, *draft.invalidators)


def summarise_change(language: Language, before: str, after: str, changes: Sequence[ChangedInference]) -> str:
    """What became of the thesis, in a sentence or two."""
    turned = phrase(language, "unchanged" if normalize(before) == normalize(after) else "turned")
    new_or_reworded = sum(bool(change.after) for change in changes)
    gone = len(changes) - new_or_reworded
    counted = phrase(language, "changes", new=new_or_reworded, gone=gone) if changes else ""
    return ("" if language == "zh" else " ").join(filter(None, (turned, counted)))


def _not_among(some: Iterable[ResearchStatement], others: Iterable[ResearchStatement]) -> list[ResearchStatement]:
    known = {normalize(statement.text) for statement in others}
    return list(
        {
            statement.text: statement for statement in some if statement.text and normalize(statement.text) not in known
        }.values()
    )


def shared_words(left: str, right: str) -> float:
    """The share of the shorter text's tokens that the other holds too, 0 to 1."""
    some, others = set(tokenize(left)), set(tokenize(right))
    return len(some & others) / min(len(some), len(others)) if some and others else 0.0


def is_reversed(before: str, after: str) -> bool:
    """Whether ``after`` takes the opposite side of ``before``, or withdraws it.

    If either takes no side, it counts only where the matter is another. Rewording reverses nothing, nor does an empty
    thesis.
    """
    if not before or not after or normalize(before) == normalize(after):
        return False
    if _RETRACTED.search(after):
        return _RETRACTED.search(before) is None
    sides = {side_of(before), side_of(after)}
    if "" in sides:
        return shared_words(before, after) < SAME_MATTER
    return len(sides) > 1


def condition_of(question: str) -> str:
    """The condition a question asks about, normalized and without our fixed opening."""
    bare = question.strip()
    opening = next((prefix for prefix in _OPENINGS if bare.startswith(prefix.strip())), "")
    return normalize(bare[len(opening.strip()) :]).strip()


def merge_known_questions(questions: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The questions, one for each condition, in the words of a ``known`` question on the same condition."""
    asked = {condition_of(question): question for question in known}
    return tuple(
        {condition_of(question): asked.get(condition_of(question), question) for question in questions}.values()
    )
