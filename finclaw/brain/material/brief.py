"""The research question without its asker: prompt, language, thread and date, and nothing remembered of the user."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foundation.language import Language
from memory.research.types import ResearchStatement


@dataclass(frozen=True)
class ResearchBrief:
    """The only input of evidence, counter-thesis, invalidators and data quality.

    Two users who ask the same in one language have equal briefs, whatever is remembered of them.
    ``earlier_statements`` are those that the thread's latest snapshot rests on; ``as_of`` is the date of a back-test,
    which uses nothing known later.
    """

    prompt: str
    language: Language
    earlier_statements: tuple[ResearchStatement, ...] = ()
    as_of: datetime | None = None
