"""Frozen values that research services take and return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, Self
from uuid import UUID

SourceKind = Literal[
    "prompt", "thread", "item", "event", "message", "snapshot", "context", "model", "task", "correction", "erased"
]


@dataclass(frozen=True)
class StatementSource:
    """The row that a text was taken from; the text is erased with it.

    ``id`` is empty for the task's own prompt, for what a user stated about themselves (``context``), for what a
    ``model`` wrote in its own words, for a user's ``correction``, and for the placeholder of ``erased`` words.
    """

    kind: SourceKind
    id: str = ""

    def as_json(self) -> dict[str, str]:
        """``{"kind", "id"}``."""
        return {"kind": self.kind, "id": self.id}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of ``as_json``."""
        return cls(value["kind"], value["id"])


CORRECTION: Final = StatementSource("correction")


def is_corrected(sources: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the user corrected the name of an object with these sources; the others are then the alias's sources."""
    return CORRECTION.as_json() in sources


@dataclass(frozen=True)
class ResearchStatement:
    """One sentence of a research object. ``dated_at`` is when it became known, where that is known."""

    text: str
    dated_at: datetime | None = None
    sources: tuple[StatementSource, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """``{"text", "dated_at", "sources"}``, as the rows keep it."""
        dated_at = self.dated_at.isoformat() if self.dated_at else None
        return {"text": self.text, "dated_at": dated_at, "sources": [source.as_json() for source in self.sources]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of ``as_json``."""
        dated_at = datetime.fromisoformat(value["dated_at"]) if value["dated_at"] else None
        return cls(value["text"], dated_at, tuple(StatementSource.from_json(source) for source in value["sources"]))


def as_json(statements: Iterable[ResearchStatement]) -> list[dict[str, Any]]:
    """Statements as the rows keep them."""
    return [statement.as_json() for statement in statements]


@dataclass(frozen=True)
class CognitionObject:
    """The object a piece of research is about; ``kind`` is one of ``ObjectKind``.

    ``alias`` is the user's word for it, "" if that is the name. ``sources`` are the rows it was taken from, empty for
    the task's own prompt. Both are ignored when objects are compared.
    """

    kind: str
    name: str
    alias: str = field(default="", compare=False)
    sources: tuple[StatementSource, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class TaskDraft:
    """A task as it was asked for. ``overrides`` are fields of the stated context, for this task alone.

    ``id`` is that of the message in a conversation that asked for it; None for a task created outside conversations.
    """

    route: str
    prompt: str
    overrides: Mapping[str, str] = field(default_factory=dict)
    thread_id: UUID | None = None
    as_of: datetime | None = None
    id: UUID | None = None


@dataclass(frozen=True)
class SnapshotDraft:
    """A snapshot before it is stored.

    ``told`` is the section "what you told me", ``thesis_sources`` name what the thesis and the watch questions were
    taken from. Memories and stated contexts may be used in these parts only.
    """

    object: CognitionObject
    main_thesis: str
    evidence: tuple[ResearchStatement, ...]
    counter_thesis: tuple[ResearchStatement, ...]
    invalidators: tuple[ResearchStatement, ...]
    watch_questions: tuple[str, ...]
    data_quality_note: str
    model_id: str
    told: tuple[ResearchStatement, ...] = ()
    thesis_sources: tuple[StatementSource, ...] = ()


@dataclass(frozen=True)
class ChangedInference:
    """An inference of a thread that changed; ``before`` or ``after`` is empty where it was added or removed."""

    before: str
    after: str


@dataclass(frozen=True)
class RefreshDraft:
    """A refresh before it is stored: the snapshot it leads to, and what became of the thesis."""

    snapshot: SnapshotDraft
    change_summary: str
    changed_inferences: tuple[ChangedInference, ...] = ()


@dataclass(frozen=True)
class CheckpointDraft:
    """A checkpoint before it is stored. ``decision`` is what is about to be decided, in the user's words."""

    decision: str
    conditions: tuple[ResearchStatement, ...]
    risks: tuple[ResearchStatement, ...]
    invalidators: tuple[ResearchStatement, ...]
    data_quality_note: str
    model_id: str
    told: tuple[ResearchStatement, ...] = ()


@dataclass(frozen=True)
class ReportSection:
    """One section of a report."""

    heading: str
    statements: tuple[ResearchStatement, ...]


@dataclass(frozen=True)
class ReportDraft:
    """The result of a route that makes no snapshot, refresh or checkpoint; it is stored in its task's row."""

    title: str
    sections: tuple[ReportSection, ...]
    data_quality_note: str
    model_id: str
    title_sources: tuple[StatementSource, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """``{"title", "title_sources"?, "sections": [{"heading", "statements"}], "data_quality_note"}``."""
        sections = [
            {"heading": section.heading, "statements": as_json(section.statements)} for section in self.sections
        ]
        named = {"title_sources": [source.as_json() for source in self.title_sources]} if self.title_sources else {}
        return {"title": self.title, **named, "sections": sections, "data_quality_note": self.data_quality_note}


@dataclass(frozen=True)
class TaskInputs:
    """What a task was given when it began.

    ``context`` is ``{"slices_loaded", "slices_skipped_missing", "slices_blocked_by_consent", "slices_read_from",
    "total_memory_tokens_estimated"}``.
    """

    context: Mapping[str, Any]
    advisors: tuple[str, ...] = ()
    lookahead_warnings: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class TaskOutcome:
    """What a completed task leaves on its row.

    ``kind`` and ``id`` name the object that ``results`` stored; without one, ``report`` is the result. ``note`` says
    what the result means for the user, and is stored for 24 hours, like the context that the task ran with.
    """

    kind: str
    model_id: str
    id: UUID | None = None
    report: ReportDraft | None = None
    lookahead_warnings: tuple[Mapping[str, Any], ...] = ()
    degraded: tuple[str, ...] = ()
    tip: bool = False
    note: tuple[ResearchStatement, ...] = ()


@dataclass(frozen=True)
class KeptNote:
    """The note on what a task's result means for the user, and until when it is stored."""

    lines: tuple[str, ...]
    expires_at: datetime


@dataclass(frozen=True)
class ThreadDraft:
    """A thread to be created.

    ``fields`` are stated for the thread, and stored with it only where ``save_user_context`` is set; financial ones
    need ``confirm_financial``. ``cognition_object`` corrects what the snapshot was taken to be about.
    """

    title: str
    save_user_context: bool = False
    fields: Mapping[str, str] = field(default_factory=dict)
    confirm_financial: bool = False
    refresh_conditions: tuple[str, ...] | None = None
    cognition_object: CognitionObject | None = None


@dataclass(frozen=True)
class ThreadChange:
    """The changes to a thread; None leaves a field as it is. ``consent_blocked`` can only be set, never removed.

    ``cognition_object`` corrects the object it is about.
    """

    title: str | None = None
    refresh_conditions: tuple[str, ...] | None = None
    state: str | None = None
    consent_blocked: bool | None = None
    cognition_object: CognitionObject | None = None


@dataclass(frozen=True)
class ThesisVersion:
    """The thesis a thread held at one moment, and whether it differed from the one before."""

    at: datetime
    text: str
    changed: bool
