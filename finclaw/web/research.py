"""Research as the templates show it: tasks, what they made as documents, and what they would be given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from consent.permit import Permit
from finclaw.brain.research.recommending import language_of
from finclaw.brain.research.services import Preview
from finclaw.brain.research.tips import tip_of
from finclaw.brain.research.types import SliceText
from finclaw.web.research_words import (
    ADVISORS,
    PARTS,
    ROUTE_MEANINGS,
    SLICES,
    SOURCES,
    STEPS,
    WHERE_FROM,
    in_words,
    why_failed,
)
from finclaw.web.types import Shown
from foundation.exceptions import NotFound
from memory.models import Checkpoint, CognitiveEvent, ResearchTask, Route, Snapshot, UserContext
from memory.research.results import checkpoint_of, refresh_of, snapshot_of
from memory.research.types import Source, Statement

Kept = Sequence[Mapping[str, Any]]  # an array of statements as a row keeps it
Kind = ResearchTask.ResultKind


@dataclass(frozen=True)
class Section:
    """One part of a document; ``empty`` is what it says where there is nothing."""

    title: str
    statements: list[Shown]
    empty: str = ""


@dataclass(frozen=True)
class Document:
    """Something research made, to be read. ``address`` is its own page's, empty for a report, which has none.

    ``lead`` is its thesis or its decision, None for a report, empty where its words were removed.
    """

    title: str
    about: str
    lead_title: str
    lead: str | None
    sections: list[Section]
    note: str
    made_at: datetime | None
    as_of: datetime | None = None
    questions: list[str] = field(default_factory=list)
    model: str = ""
    address: str = ""


def show_task(task: ResearchTask) -> Shown:
    """A task in a list."""
    return {
        "task_id": task.pk,
        "prompt": task.prompt,
        "route": Route(task.route).label,
        "state": task.state,
        "is_over": task.is_over,
        "progress": task.progress,
        "asked_at": task.created_at,
    }


def show_whole_task(permit: Permit, task: ResearchTask) -> Shown:
    """A task on its own page."""
    went_by = task.context
    return show_task(task) | {
        "step": str(STEPS.get(task.step, STEPS[""])),
        "is_stopping": task.cancel_requested_at is not None,
        "found": [
            {"title": str(PARTS[one["part"]]), "statements": one["statements"]}
            for one in task.partial
            if one["part"] in PARTS and one["statements"]
        ],
        "failure": why_failed(task.error_code) if task.state == ResearchTask.State.FAILED else "",
        "as_of": _day(task.as_of),
        "warnings": [_warning(one) for one in task.lookahead_warnings],
        "tip": tip_of(permit, language_of(permit)) if task.tip else "",
        "thread": task.thread,
        "advisors": in_words(task.advisors, ADVISORS),
        "used": in_words(went_by.get("slices_loaded", ()), SLICES),
        "missing": in_words(went_by.get("slices_skipped_missing", ()), SLICES),
        "blocked": in_words(went_by.get("slices_blocked_by_consent", ()), SLICES),
    }


def show_preview(preview: Preview) -> Shown:
    """What a task would be, before it is one."""
    return {
        "route": Route(preview.route).label,
        "meaning": str(ROUTE_MEANINGS[preview.route]),
        "used": [_slice(one) for one in preview.slices.slices if one.slice in SLICES],
        "missing": in_words(preview.slices.skipped_missing, SLICES),
        "blocked": in_words(preview.slices.blocked_by_consent, SLICES),
        "advisors": in_words(preview.advisors, ADVISORS),
    }


def result_of(permit: Permit, task: ResearchTask) -> Document | None:
    """What the task made, to be read; None where it made nothing, or that was forgotten."""
    try:
        if task.result_kind == Kind.REPORT:
            return report_document(permit, task)
        return _object(permit, task.result_kind, task.result_id) if task.result_id else None
    except NotFound:
        return None


def snapshot_document(permit: Permit, snapshot: Snapshot) -> Document:
    """A snapshot as a document: the thesis first, then what stands for and against it."""
    nothing = _("Your words name none.")
    evidence, against, ending, told = show_arrays(
        permit, snapshot.evidence, snapshot.counter_thesis, snapshot.invalidators, snapshot.told
    )
    sections = [
        Section(_("Evidence"), evidence, _("Your words hold no evidence: no figure, no date, no source.")),
        Section(_("The other side"), against, nothing),
        Section(_("What would end it"), ending, nothing),
        *([Section(_("What you told me"), told)] if told else []),
    ]
    return Document(
        title=_("Snapshot: %(name)s") % {"name": snapshot.object_name},
        about=snapshot.get_object_kind_display(),
        lead_title=_("The thesis"),
        lead=snapshot.main_thesis,
        sections=sections,
        note=snapshot.data_quality_note,
        made_at=snapshot.created_at,
        as_of=_day(snapshot.as_of),
        questions=list(snapshot.watch_questions),
        model=snapshot.model_id,
        address=reverse("web:snapshot", args=[snapshot.pk]),
    )


def checkpoint_document(permit: Permit, checkpoint: Checkpoint) -> Document:
    """What to weigh before a decision, as a document."""
    nothing = _("Your words name none.")
    first, risks, ending, told = show_arrays(
        permit, checkpoint.conditions, checkpoint.risks, checkpoint.invalidators, checkpoint.told
    )
    sections = [
        Section(_("To be settled first"), first, nothing),
        Section(_("Risks"), risks, nothing),
        Section(_("What would end it"), ending, nothing),
        *([Section(_("What you told me"), told)] if told else []),
    ]
    return Document(
        title=_("Before a decision"),
        about="",
        lead_title=_("The decision, in your words"),
        lead=checkpoint.decision,
        sections=sections,
        note=checkpoint.data_quality_note,
        made_at=checkpoint.created_at,
        as_of=_day(checkpoint.as_of),
        model=checkpoint.model_id,
        address=reverse("web:checkpoint", args=[checkpoint.pk]),
    )


def report_document(permit: Permit, task: ResearchTask) -> Document:
    """A report as a document; its headings are in the language it was written in."""
    parts = task.report.get("sections", ())
    shown = show_arrays(permit, *(part["statements"] for part in parts))
    nothing = _("Nothing in your words.")
    return Document(
        title=task.report.get("title", ""),
        about=str(Route(task.route).label),
        lead_title="",
        lead=None,
        sections=[Section(part["heading"], rows, nothing) for part, rows in zip(parts, shown, strict=True)],
        note=task.report.get("data_quality_note", ""),
        made_at=task.ended_at,
        as_of=_day(task.as_of),
        model=task.model_id,
    )


def show_arrays(permit: Permit, *arrays: Kept) -> list[list[Shown]]:
    """Arrays of statements, each statement with its day and where it is from."""
    read = [[Statement.from_json(one) for one in array] for array in arrays]
    events = _events_named(permit, (one for array in read for one in array))
    return [[_statement(one, events) for one in array] for array in read]


def _statement(statement: Statement, events: Mapping[str, str]) -> Shown:
    return {
        "text": statement.text,
        "dated_on": _day(statement.dated_at),
        "sources": list({one: _source(one, events) for one in statement.sources}.values()),
    }


def _source(source: Source, events: Mapping[str, str]) -> Shown:
    return {"label": SOURCES[source.kind], "address": _address(source, events)}


def _address(source: Source, events: Mapping[str, str]) -> str:
    if source.kind == "item":
        return reverse("web:memory", args=[source.id])
    if source.kind == "snapshot":
        return reverse("web:snapshot", args=[source.id])
    if source.kind == "event" and source.id in events:
        return reverse("web:event", args=[events[source.id]])
    return ""


def _events_named(permit: Permit, statements: Iterable[Statement]) -> dict[str, str]:
    """The events' own names by their rows' keys."""
    keys = {one.id for statement in statements for one in statement.sources if one.kind == "event"}
    if not keys:
        return {}
    rows = CognitiveEvent.objects.filter(pk__in=[UUID(key) for key in keys], user_id=permit.user_id)
    return {str(key): event_id for key, event_id in rows.values_list("pk", "event_id")}


def _warning(warning: Mapping[str, str]) -> Shown:
    return {"text": warning["text"], "dated_on": _day(datetime.fromisoformat(warning["dated_at"]))}


def _day(at: datetime | None) -> datetime | None:
    """Naive on purpose: the day a sentence names is that day everywhere, and kept as its end in UTC."""
    return at.astimezone(UTC).replace(tzinfo=None) if at else None


def _slice(one: SliceText) -> Shown:
    return {
        "title": str(SLICES[one.slice]),
        "value": " · ".join(_said(one.values)),
        "why": str(WHERE_FROM[one.scope]),
    }


def _said(values: Mapping[str, str]) -> Iterator[str]:
    """Values as a person reads them: a choice by its label."""
    fields = {one.name: one for one in UserContext._meta.concrete_fields}
    for name, value in values.items():
        choices = dict(fields[name].flatchoices) if name in fields else {}
        yield str(choices.get(value, value))


def _object(permit: Permit, kind: str, key: UUID) -> Document:
    """The document of an object; a refresh's is that of the snapshot it led to."""
    if kind == Kind.CHECKPOINT:
        return checkpoint_document(permit, checkpoint_of(permit, key))
    snapshot = refresh_of(permit, key).snapshot if kind == Kind.REFRESH else snapshot_of(permit, key)
    return snapshot_document(permit, snapshot)
