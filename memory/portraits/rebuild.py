"""Rebuilds a portrait from the user's own lines, their memories, and lines that only events give. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from uuid import UUID

from memory.evolution.slots import holds_several
from memory.portraits.composition import compose_lines, core_of, covers, without_restated
from memory.portraits.lines import lines_holding, source_keys_of
from memory.portraits.material import Material
from memory.portraits.types import PortraitLine


def rebuild_lines(
    told: Sequence[PortraitLine], material: Material, said: Iterable[str], left_out: Collection[UUID], today: date
) -> tuple[PortraitLine, ...]:
    """The lines of a portrait: the user's own, one for each statement in force, then lines of events.

    ``told`` are the present lines with new ones from events. Of these, a line from events stays only if no memory says
    it or ever said it. ``said`` are the words of all memories, also of ended ones, so that no event brings back what
    was corrected.
    """
    learned = compose_lines(material.statements, dict(material.conflicts), today, left_out)
    stated = [line for line in told if line.stated and not _is_past(line, learned)]
    learned = tuple(line for line in without_restated(learned, stated) if not _is_replaced(line, stated))
    cores = [core_of(words) for words in said]
    of_events = lines_holding(
        told, lambda leaf: not leaf.stated and bool(source_keys_of([leaf])) and not _is_said(leaf, cores)
    )
    return (*stated, *learned, *(line for line in of_events if not line.stated))


def event_lines(lines: Iterable[PortraitLine], lasts: Callable[[str], bool] | None) -> tuple[PortraitLine, ...]:
    """The lines whose sources are all events, and lines in the user's own words.

    With ``lasts``, only those of events for whose text it is true.
    """
    return lines_holding(
        lines, lambda leaf: leaf.stated or (_is_of_events(leaf) and (lasts is None or lasts(leaf.text)))
    )


def _is_of_events(leaf: PortraitLine) -> bool:
    return all(source.kind == "event" for source in leaf.sources)


def _is_said(leaf: PortraitLine, cores: Sequence[frozenset[str]]) -> bool:
    own = core_of(leaf.text)
    return any(covers(core, own) or covers(own, core) for core in cores if core)


def _is_past(line: PortraitLine, learned: Iterable[PortraitLine]) -> bool:
    """Whether a line's slot holds one value, and a newer value of it is remembered."""
    return any(newer.slot == line.slot and newer.said_at > line.said_at for newer in learned if _holds_one(line))


def _is_replaced(line: PortraitLine, stated: Iterable[PortraitLine]) -> bool:
    return any(other.slot == line.slot and other.said_at >= line.said_at for other in stated if _holds_one(line))


def _holds_one(line: PortraitLine) -> bool:
    return bool(line.slot) and not holds_several(line.slot)
