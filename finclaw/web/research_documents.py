"""Template data of research: tasks, their results as documents, and previews."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from consent.permit import Permit
from finclaw.brain.material.subject import shown_name
from finclaw.brain.research.recommendations import stated_language
from finclaw.brain.research.routes import fields_of_route
from finclaw.brain.research.services import TaskPreview
from finclaw.brain.research.tips import hint_of, hint_text
from finclaw.brain.research.types import SliceText
from finclaw.web.past_invalidators import split_invalidators
from finclaw.web.research_labels import (
    ADVISORS,
    PARTS,
    ROUTE_MEANINGS,
    SLICES,
    STEPS,
    failure_text,
    label_names,
    label_sources,
    slice_origins,
)
from finclaw.web.statements import naive_day, show_arrays, show_day
from finclaw.web.types import TemplateData
from foundation.exceptions import NotFound
from foundation.llm import is_model_configured
from foundation.llm.offline_model import OFFLINE_MODEL_ID
from memory.models import Checkpoint, ConversationEvent, ResearchTask, Route, Snapshot, UserContext
from memory.research.contexts import note_of
from memory.research.results import checkpoint_of, refresh_of, snapshot_of
from memory.research.task_lifecycle import tasks_of

Kind = ResearchTask.ResultKind


@dataclass(frozen=True)
class DocumentSection:
    """One section of a document; ``empty`` is its text where there is nothing."""

    title: str
    statements: list[TemplateData]
    empty: str = ""


@dataclass(frozen=True)
class ResearchDocument:
    """A research result to read.

    ``address`` is the URL of its page, empty for a report, which has none. ``lead`` is its thesis or decision: None for
    a report, empty where its words were erased.
    """

    title: str
    about: str
    lead_title: str
    lead: str | None
    sections: list[DocumentSection]
    note: str
    made_at: datetime | None
    as_of: datetime | None = None
    questions: list[str] = field(default_factory=list)
    model: str = ""
    address: str = ""


def show_task(task: ResearchTask) -> TemplateData:
    """A task in a list."""
    return {
        "task_id": task.pk,
        "prompt": task.question or _("Its words were forgotten."),
        "route": Route(task.route).label,
        "state": task.state,
        "is_over": task.is_over,
        "progress": task.progress,
        "asked_at": task.created_at,
    }


def show_started_tasks(permit: Permit, messages: Iterable[ConversationEvent]) -> dict[int, TemplateData]:
    """The user's tasks that these messages requested, by the ``seq`` of the answer to each message."""
    answered = {message.pk: message.seq + 1 for message in messages if message.user_id == permit.user_id}
    return {answered[task.pk]: _show_started(task) for task in tasks_of(permit).filter(pk__in=answered)}


def _show_started(task: ResearchTask) -> TemplateData:
    return show_task(task) | {"about": task.thread.title if task.thread else shown_name(task.prompt)}


def show_task_page(permit: Permit, task: ResearchTask) -> TemplateData:
    """A task on its own page."""
    went_by, hint = task.context, hint_of(task)
    return show_task(task) | {
        "step": str(STEPS.get(task.step, STEPS[""])),
        "is_stopping": task.cancel_requested_at is not None,
        "found": [
            {"title": str(PARTS[part["part"]]), "statements": part["statements"]}
            for part in task.partial
            if part["part"] in PARTS and part["statements"]
        ],
        "failure": failure_text(task.error_code) if task.state == ResearchTask.State.FAILED else "",
        "as_of": naive_day(task.as_of),
        "warnings": [_show_warning(warning) for warning in task.lookahead_warnings],
        "tip": hint_text(hint, stated_language(permit)) if hint else "",
        "thread": task.thread,
        "note": note_of(permit, task),
        "advisors": label_names(task.advisors, ADVISORS) if task.model_id not in ("", OFFLINE_MODEL_ID) else [],
        "used": label_sources(went_by.get("slices_loaded", ()), went_by.get("slices_read_from", {})),
        "missing": label_names(went_by.get("slices_skipped_missing", ()), SLICES),
        "blocked": label_names(went_by.get("slices_blocked_by_consent", ()), SLICES),
    }


def show_preview(preview: TaskPreview, stated: Collection[str] = ()) -> TemplateData:
    """What a task would use; ``stated`` are the fields filled in for it alone."""
    taken = fields_of_route(preview.route)
    return {
        "route": Route(preview.route).label,
        "meaning": str(ROUTE_MEANINGS[preview.route]),
        "used": [_show_slice(loaded) for loaded in preview.slices.slices if loaded.slice in SLICES],
        "missing": label_names(preview.slices.skipped_missing, SLICES),
        "blocked": label_names((*preview.slices.blocked_by_consent, *preview.slices.not_looked_up), SLICES),
        "advisors": label_names(preview.advisors, ADVISORS) if is_model_configured() else [],
        "unused": [_field_label(name) for name in stated if name not in taken],
    }


def result_document(permit: Permit, task: ResearchTask) -> ResearchDocument | None:
    """The task's result; None where it has none, or the result was erased."""
    try:
        if task.result_kind == Kind.REPORT:
            return report_document(permit, task)
        return _object_document(permit, task.result_kind, task.result_id) if task.result_id else None
    except NotFound:
        return None


def snapshot_document(permit: Permit, snapshot: Snapshot) -> ResearchDocument:
    """A snapshot as a document: the thesis first, then what speaks for and against it."""
    nothing = _("Your words name none.")
    own, former = split_invalidators(permit, snapshot)
    evidence, against, ending, ended, told = show_arrays(
        permit, snapshot.evidence, snapshot.counter_thesis, own, former, snapshot.told
    )
    sections = [
        DocumentSection(_("Evidence"), evidence, _("Nothing was found that counts as evidence.")),
        DocumentSection(_("The other side"), against, nothing),
        DocumentSection(_("What would end it"), ending, nothing),
        *([DocumentSection(_("What would have ended the thesis before"), ended)] if ended else []),
        *([DocumentSection(_("What you told me"), told)] if told else []),
    ]
    return ResearchDocument(
        title=_("Snapshot: %(name)s") % {"name": snapshot.object_name},
        about=_about(snapshot),
        lead_title=_("The thesis"),
        lead=snapshot.main_thesis,
        sections=sections,
        note=snapshot.data_quality_note,
        made_at=snapshot.created_at,
        as_of=naive_day(snapshot.as_of),
        questions=list(snapshot.watch_questions),
        model=snapshot.model_id,
        address=reverse("web:snapshot", args=[snapshot.pk]),
    )


def _about(snapshot: Snapshot) -> str:
    """What a snapshot is about, with what its user called it."""
    named = {"kind": snapshot.get_object_kind_display(), "about": snapshot.object_name, "alias": snapshot.object_alias}
    if snapshot.object_alias:
        return _("%(kind)s: %(about)s (you called it %(alias)s)") % named
    return _("%(kind)s: %(about)s") % named


def checkpoint_document(permit: Permit, checkpoint: Checkpoint) -> ResearchDocument:
    """A checkpoint, what to weigh before a decision, as a document."""
    nothing, name = _("Your words name none."), shown_name(checkpoint.task.prompt)
    first, risks, ending, told = show_arrays(
        permit, checkpoint.conditions, checkpoint.risks, checkpoint.invalidators, checkpoint.told
    )
    sections = [
        DocumentSection(_("To be settled first"), first, nothing),
        DocumentSection(_("Risks"), risks, nothing),
        DocumentSection(_("What would end it"), ending, nothing),
        *([DocumentSection(_("What you told me"), told)] if told else []),
    ]
    return ResearchDocument(
        title=_("Before a decision: %(name)s") % {"name": name} if name else _("Before a decision"),
        about="",
        lead_title=_("The decision, in your words"),
        lead=checkpoint.decision,
        sections=sections,
        note=checkpoint.data_quality_note,
        made_at=checkpoint.created_at,
        as_of=naive_day(checkpoint.as_of),
        model=checkpoint.model_id,
        address=reverse("web:checkpoint", args=[checkpoint.pk]),
    )


def report_document(permit: Permit, task: ResearchTask) -> ResearchDocument:
    """A report as a document; its headings are in the language it was written in."""
    parts = task.report.get("sections", ())
    shown = show_arrays(permit, *(part["statements"] for part in parts))
    nothing = _("Nothing in your words.")
    return ResearchDocument(
        title=task.report.get("title", ""),
        about="",
        lead_title="",
        lead=None,
        sections=[DocumentSection(part["heading"], rows, nothing) for part, rows in zip(parts, shown, strict=True)],
        note=task.report.get("data_quality_note", ""),
        made_at=task.ended_at,
        as_of=naive_day(task.as_of),
        model=task.model_id,
    )


def _show_warning(warning: Mapping[str, str]) -> TemplateData:
    return {"text": warning["text"], **show_day(warning["text"], datetime.fromisoformat(warning["dated_at"]))}


def _show_slice(loaded: SliceText) -> TemplateData:
    return {
        "title": str(SLICES[loaded.slice]),
        "value": " · ".join(_value_labels(loaded.values)),
        "why": slice_origins(loaded.scopes),
    }


def _field_label(field: str) -> str:
    """The form label of a stated field."""
    return str(capfirst(UserContext._meta.get_field(field).verbose_name))  # type: ignore[union-attr]


def _value_labels(values: Mapping[str, str]) -> Iterator[str]:
    """Values as a user reads them: choices by their labels."""
    fields = {model_field.name: model_field for model_field in UserContext._meta.concrete_fields}
    for name, value in values.items():
        choices = dict(fields[name].flatchoices) if name in fields else {}
        yield str(choices.get(value, value))


def _object_document(permit: Permit, kind: str, key: UUID) -> ResearchDocument:
    """The document of an object; for a refresh, that of the snapshot it led to."""
    if kind == Kind.CHECKPOINT:
        return checkpoint_document(permit, checkpoint_of(permit, key))
    snapshot = refresh_of(permit, key).snapshot if kind == Kind.REFRESH else snapshot_of(permit, key)
    return snapshot_document(permit, snapshot)
