"""Resolves a new line against a portrait's lines by the rules of learning, without a model. Pure.

If the new line repeats a line, in the same words or less exactly, it becomes a part of that line. It replaces another
line only if their slot holds one value, or if it says the contrary. A portrait that is too long loses its oldest lines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final
from uuid import UUID

from foundation.ids import new_id
from memory.evolution.quality_gateway import SimilarItem, without_duplicates
from memory.evolution.resolution import decide
from memory.evolution.slots import USER_SUBJECT
from memory.evolution.types import EvolutionDecision, KnownItem, StatementCandidate
from memory.portraits.lines import key_of, without_texts
from memory.portraits.markdown import render_markdown
from memory.portraits.sentence_classifier import ClassifiedSentence
from memory.portraits.types import EntityType, PortraitLine

MOST_PARTS: Final = 5
"""The most lines that one line stands for; further repetitions of it are not stored."""


def merge_lines(
    known: Sequence[PortraitLine], new: PortraitLine, reading: ClassifiedSentence
) -> tuple[PortraitLine, ...]:
    """The lines of a portrait after adding ``new``, which was classified as ``reading``."""
    leaves = [leaf for line in known for leaf in line.leaves]
    same = next((leaf for leaf in leaves if key_of(leaf.text) == key_of(new.text)), None)
    if same is not None:
        return _behind(known, same.id, new)
    if reading.candidate is None:
        return (*known, new)
    items = [_known_item(leaf) for leaf in leaves if leaf.slot]
    return _apply_decision(known, new, _decide(reading.candidate, items))


def drop_oldest_lines(entity_type: EntityType, lines: Sequence[PortraitLine], room: int) -> tuple[PortraitLine, ...]:
    """As many lines as fit into ``room`` characters of Markdown: the oldest are dropped first, the user's own never."""
    kept = list(lines)
    going = sorted((line for line in lines if not line.stated), key=lambda line: line.said_at)
    for line in going:
        if len(render_markdown(entity_type, kept)) <= room:
            break
        kept.remove(line)
    return tuple(kept)


def join_lines(text: str, section: str, parts: Iterable[PortraitLine]) -> PortraitLine:
    """One line in these words that stands for several."""
    leaves = tuple(leaf for part in parts for leaf in part.leaves)
    return PortraitLine(new_id(), text, section, max(leaf.said_at for leaf in leaves), parts=leaves)


def _decide(candidate: StatementCandidate, items: Sequence[KnownItem]) -> EvolutionDecision:
    slot = candidate.attributes["slot"]
    near = [SimilarItem(item, 1.0) for item in items if item.slot == slot]
    return without_duplicates(candidate, decide(candidate, items), near)


def _apply_decision(
    known: Sequence[PortraitLine], new: PortraitLine, decision: EvolutionDecision
) -> tuple[PortraitLine, ...]:
    match decision.action:
        case "ADD":
            return (*known, new)
        case "SUPERSEDE":
            return (*without_texts(known, _target_ids(decision.target)), new)
        case "RETIRE":
            return without_texts(known, _target_ids(decision.target))
        case "CONFIRM":
            return _behind(known, decision.target, new)
        case "NONE":
            return _behind(known, decision.target, new) if decision.repeats else tuple(known)


def _target_ids(target: UUID | None) -> Collection[UUID]:
    return () if target is None else (target,)


def _behind(known: Sequence[PortraitLine], target: UUID | None, new: PortraitLine) -> tuple[PortraitLine, ...]:
    """Make ``new`` a part of the line that has ``target`` as a part, without changing its text.

    A line in the user's own words, or one with ``MOST_PARTS`` parts, stays as it is.
    """
    return tuple(
        join_lines(line.text, line.section, (line, new)) if _can_take(line, target) else line for line in known
    )


def _can_take(line: PortraitLine, target: UUID | None) -> bool:
    has_room = not line.stated and len(line.leaves) < MOST_PARTS
    return has_room and any(leaf.id == target for leaf in line.leaves)


def _known_item(leaf: PortraitLine) -> KnownItem:
    return KnownItem(
        memory_id=leaf.id,
        subject=USER_SUBJECT,
        slot=leaf.slot,
        value=leaf.value,
        content=leaf.text,
        memory_type="observation",
        provenance="confirmed_by_user" if leaf.stated else "observation",
        confidence=1.0,
        valid_at=leaf.said_at,
    )
