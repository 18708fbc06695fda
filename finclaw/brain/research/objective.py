"""What a piece of research is about, without a word about who asks (M-6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.research.types import ResearchStatement

Language = Literal["en", "zh"]


@dataclass(frozen=True)
class Objective:
    """All that evidence, counter-thesis, invalidators and data quality are made of.

    Two people who ask the same in one language have equal objectives, whatever is remembered of them: the functions
    behind those parts are handed nothing else. ``thread`` is what the thread's latest snapshot stands on, ``as_of`` the
    moment after which nothing was known.
    """

    prompt: str
    language: Language
    thread: tuple[ResearchStatement, ...] = ()
    as_of: datetime | None = None
