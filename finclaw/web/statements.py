"""Template data of research statements: each with its date, where it names one, and its sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.urls import reverse

from consent.permit import Permit
from finclaw.brain.material.dates import period_in_words
from finclaw.web.research_labels import SOURCES
from finclaw.web.types import TemplateData
from memory.models import CognitiveEvent
from memory.research.types import ResearchStatement, StatementSource

StatementArray = Sequence[Mapping[str, Any]]  # an array of statements as a row keeps it


def show_arrays(permit: Permit, *arrays: StatementArray) -> list[list[TemplateData]]:
    """Arrays of statements, each with its date and sources."""
    read = [[ResearchStatement.from_json(entry) for entry in array] for array in arrays]
    events = _event_names(permit, (entry for array in read for entry in array))
    return [[_show_statement(entry, events) for entry in array] for array in read]


def _show_statement(statement: ResearchStatement, events: Mapping[str, str]) -> TemplateData:
    once = {"snapshot" if source.kind == "snapshot" else source: source for source in reversed(statement.sources)}
    return {
        "text": statement.text,
        **show_day(statement.text, statement.dated_at),
        **({"dated_on": statement.dated_at} if _is_remembered(statement) else {}),
        "sources": [_show_source(source, events) for source in reversed(once.values())],
    }


def _is_remembered(statement: ResearchStatement) -> bool:
    """Whether its date is when the user said it, to be shown in their time zone: true of memories and events alone."""
    return bool(statement.sources) and {source.kind for source in statement.sources} <= {"item", "event"}


def _show_source(source: StatementSource, events: Mapping[str, str]) -> TemplateData:
    return {"label": SOURCES[source.kind], "address": _source_address(source, events)}


def _source_address(source: StatementSource, events: Mapping[str, str]) -> str:
    if source.kind == "item":
        return reverse("web:memory", args=[source.id])
    if source.kind == "snapshot":
        return reverse("web:snapshot", args=[source.id])
    if source.kind == "event" and source.id in events:
        return reverse("web:event", args=[events[source.id]])
    return ""


def _event_names(permit: Permit, statements: Iterable[ResearchStatement]) -> dict[str, str]:
    """The events' own names by their rows' keys."""
    keys = {source.id for statement in statements for source in statement.sources if source.kind == "event"}
    if not keys:
        return {}
    rows = CognitiveEvent.objects.filter(pk__in=[UUID(key) for key in keys], user_id=permit.user_id)
    return {str(event.pk): event.ref for event in rows}


def show_day(text: str, at: datetime | None) -> TemplateData:
    """The date as the text gives it: the day, or only the month, quarter or year."""
    return {"dated_on": naive_day(at), "period": period_in_words(text, at) if at else ""}


def naive_day(at: datetime | None) -> datetime | None:
    """The day as a naive datetime, so that no time zone shifts it: a named day is stored as its end in UTC."""
    return at.astimezone(UTC).replace(tzinfo=None) if at else None
