"""Frozen values that the detectors take and return, independent of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, Self

from memory.research.asset_names import object_key
from memory.research.types import CognitionObject

SignalKind = Literal[
    "grade_reversal", "feedback_conflict", "refresh_stance_flip", "watch_question_resolved_then_reopened"
]
Stance = Literal["positive", "negative", "retraction"]
POSITIVE_RATINGS: Final = frozenset({"thumbs_up", "helpful", "agree"})


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word of the lexicon that was found in a comment. ``retraction``: an earlier judgement is called wrong."""

    word: str
    stance: Stance

    def as_json(self) -> dict[str, str]:
        """``{"word", "stance"}``, as the row keeps it."""
        return {"word": self.word, "stance": self.stance}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of ``as_json``."""
        return cls(value["word"], value["stance"])


@dataclass(frozen=True, slots=True)
class RatedFeedback:
    """One feedback as the detectors read it: a rating of ``object_ref``, and the keywords of its comment."""

    at: datetime
    object_ref: str
    cognition_object: CognitionObject | None
    rating: str
    keywords: tuple[Keyword, ...] = ()

    @property
    def is_positive(self) -> bool:
        return self.rating in POSITIVE_RATINGS

    @property
    def topic(self) -> tuple[str, str]:
        """The topic of the comment: the cognition object, or the object itself where it has none."""
        return ("", self.object_ref) if self.cognition_object is None else object_key(self.cognition_object)


@dataclass(frozen=True, slots=True)
class DatedThesis:
    """A thesis that a thread held from a moment on; ``ref`` names the snapshot it stands in."""

    at: datetime
    text: str
    ref: str


@dataclass(frozen=True)
class ThesisHistory:
    """The theses of a refreshed thread, the oldest first; the last is the new one. ``changes`` counts the inferences
    that the refresh changed.
    """

    thread_ref: str
    cognition_object: CognitionObject
    theses: tuple[DatedThesis, ...]
    changes: int


@dataclass(frozen=True, slots=True)
class QuestionUpdate:
    """A watch question's state from a moment on: ``open``, ``resolved`` or ``reopened``."""

    at: datetime
    state: str


@dataclass(frozen=True)
class QuestionHistory:
    """One watch question of a thread, its updates the oldest first."""

    question_ref: str
    thread_ref: str
    cognition_object: CognitionObject
    updates: tuple[QuestionUpdate, ...]


@dataclass(frozen=True)
class ReversalSide:
    """One side of a reversal. ``value`` is a rating, the lexicon's words or a state, never a user's own words."""

    value: str
    at: datetime
    ref: str

    def as_json(self) -> dict[str, str]:
        """``{"value", "captured_at", "captured_in_object_ref"}``."""
        return {"value": self.value, "captured_at": self.at.isoformat(), "captured_in_object_ref": self.ref}


@dataclass(frozen=True)
class Reversal:
    """One observed reversal, before it is a row of the log. ``summary`` is a sentence for people."""

    kind: SignalKind
    object_ref: str
    cognition_object: CognitionObject | None
    prior: ReversalSide
    current: ReversalSide
    summary: str
