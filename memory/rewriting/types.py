"""Value types of the historian: its input, its clock, its output."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from foundation.language import Language

Kind = Literal["pronoun", "relative_time", "relative_place"]


@dataclass(frozen=True, slots=True)
class Draft:
    """The two fields of an ``end`` call and the two people in it. In ``action_summary`` "I" is the assistant, in
    ``new_info`` the sender.
    """

    action_summary: str
    new_info: str
    sender_name: str
    assistant_name: str


@dataclass(frozen=True, slots=True)
class EventClock:
    """When and where the event happened. ``occurred_at`` is aware; ``time_zone`` an IANA name.

    ``language`` decides how dates are written; without it the text's own script does.
    """

    occurred_at: datetime
    time_zone: str
    location: str | None = None
    language: Language | None = None

    @property
    def local(self) -> datetime:
        """The event's wall clock. Raises ``ZoneInfoNotFoundError`` for an unknown zone."""
        return self.occurred_at.astimezone(ZoneInfo(self.time_zone))


@dataclass(frozen=True, slots=True)
class Violation:
    """A piece of text that a reader without the conversation could not place. Offsets count characters."""

    kind: Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RewrittenTexts:
    """Absolute texts; ``unresolved`` lists the relative words that are left, ``resolved`` each expression that was
    replaced with what replaced it.
    """

    did_what: str
    new_info: str
    canonical_text: str
    unresolved: tuple[str, ...] = ()
    resolved: tuple[tuple[str, str], ...] = ()
