"""What a refresh changed: the inferences that came, went or were put another way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from finclaw.brain.research.objective import Language
from finclaw.brain.research.wording import words
from foundation.text import normalize, tokenize
from memory.research.types import Changed, SnapshotDraft, Statement

SAME_MATTER: Final = 0.3
"""The share of the shorter statement's tokens that the other holds too, from which on the later one takes its place."""


def changed_inferences(before: Sequence[Statement], after: Sequence[Statement]) -> tuple[Changed, ...]:
    """The statements that differ, each new one beside the one it took the place of."""
    gone = _only(before, after)
    changes: list[Changed] = []
    for new in _only(after, before):
        replaced = max(gone, key=lambda old: _overlap(old, new), default="")
        if replaced and _overlap(replaced, new) >= SAME_MATTER:
            gone.remove(replaced)
            changes.append(Changed(replaced, new))
        else:
            changes.append(Changed("", new))
    return (*changes, *(Changed(old, "") for old in gone))


def inferences_of(draft: SnapshotDraft) -> tuple[Statement, ...]:
    """Everything a snapshot infers, its thesis first."""
    return (Statement(draft.main_thesis), *draft.evidence, *draft.counter_thesis, *draft.invalidators)


def summary_of(language: Language, before: str, after: str, changes: Sequence[Changed]) -> str:
    """In a sentence or two what became of the thesis."""
    turned = words(language, "unchanged" if normalize(before) == normalize(after) else "turned")
    new, gone = sum(bool(one.after) for one in changes), sum(not one.after for one in changes)
    counted = words(language, "changes", new=new, gone=gone) if changes else ""
    return ("" if language == "zh" else " ").join(filter(None, (turned, counted)))


def _only(some: Iterable[Statement], others: Iterable[Statement]) -> list[str]:
    known = {normalize(one.text) for one in others}
    return list(dict.fromkeys(one.text for one in some if normalize(one.text) not in known))


def _overlap(left: str, right: str) -> float:
    some, others = set(tokenize(left)), set(tokenize(right))
    return len(some & others) / min(len(some), len(others)) if some and others else 0.0
