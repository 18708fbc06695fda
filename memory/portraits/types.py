"""Frozen values for portraits of users and groups: their lines, and the views that readers get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

EntityType = Literal["user", "group"]
SourceKind = Literal["item", "event", "message"]


@dataclass(frozen=True, slots=True)
class LineSource:
    """A row that a line was made of, by its kind and key.

    ``chain`` is a memory item's, which its versions share; ``event_id`` an event's ``request_id:end_seq``.
    """

    kind: SourceKind
    id: UUID
    chain: UUID | None = None
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class PortraitLine:
    """One line of a portrait, under the heading ``section``.

    It is erased with any memory item or event among its ``sources``. Messages among them say where it was said; their
    erasure reaches the line only through the item. If the line stands for several, those are its ``parts``, and the
    parts that are not erased replace it. ``slot`` and ``value`` say what it is about, if a rule knew; ``stated`` marks
    a line in the user's own words.
    """

    id: UUID
    text: str
    section: str
    said_at: datetime
    sources: tuple[LineSource, ...] = ()
    stated: bool = False
    slot: str = ""
    value: str = ""
    parts: tuple[PortraitLine, ...] = ()

    @property
    def leaves(self) -> tuple[PortraitLine, ...]:
        """The lines it stands for: its parts, or the line itself."""
        return self.parts or (self,)

    def all_sources(self) -> Iterator[LineSource]:
        """Every row behind the line or one of its parts."""
        yield from self.sources
        for part in self.parts:
            yield from part.sources


@dataclass(frozen=True, slots=True)
class Contribution:
    """One member's part of a portrait, with its ``lines`` as others read them.

    Receipts name it by ``id``, in one receipt line of the kind ``profile``.
    """

    id: UUID
    user_id: UUID
    body: str
    revision: int
    lines: tuple[PortraitLine, ...] = ()


@dataclass(frozen=True, slots=True)
class PortraitView:
    """A portrait as its reader may see it.

    ``contributions`` hold the same lines by member, the reader's own first. ``own`` is the part that the reader may
    edit, as they wrote it; None for a group to which they have contributed nothing.
    """

    entity_type: EntityType
    entity_id: UUID
    name: str
    tags: tuple[str, ...]
    body: str
    updated_at: datetime
    source_event_id: str
    contributions: tuple[Contribution, ...]
    own: Contribution | None


@dataclass(frozen=True, slots=True)
class PortraitRevision:
    """A former version of the reader's own row.

    ``change`` is ``learned``, ``edited`` or ``rolled_back``, the last of these to ``restored_revision``.
    """

    revision: int
    body: str
    tags: tuple[str, ...]
    change: str
    restored_revision: int | None
    source_event_id: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PortraitHit:
    """A portrait that was found; results are ordered by ``score``."""

    portrait: PortraitView
    score: float


@dataclass(frozen=True, slots=True)
class PortraitSearchResult:
    """The portraits found, best first, and what ran degraded."""

    hits: tuple[PortraitHit, ...]
    degraded: tuple[str, ...] = ()
