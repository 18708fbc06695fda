"""Statements as the templates show them: each with its day, as far as it names one, and where it is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.urls import reverse

from consent.permit import Permit
from finclaw.brain.research.dates import period_written
from finclaw.web.research_labels import SOURCES
from finclaw.web.types import Shown
from memory.models import CognitiveEvent
from memory.research.types import ResearchStatement, StatementSource

Kept = Sequence[Mapping[str, Any]]  # an array of statements as a row keeps it


def show_arrays(permit: Permit, *arrays: Kept) -> list[list[Shown]]:
    """Arrays of statements, each statement with its day and where it is from."""
    read = [[ResearchStatement.from_json(one) for one in array] for array in arrays]
    events = _events_named(permit, (one for array in read for one in array))
    return [[_statement(one, events) for one in array] for array in read]


def _statement(statement: ResearchStatement, events: Mapping[str, str]) -> Shown:
    once = {"snapshot" if one.kind == "snapshot" else one: one for one in reversed(statement.sources)}
    return {
        "text": statement.text,
        **dated(statement.text, statement.dated_at),
        "sources": [_source(one, events) for one in reversed(once.values())],
    }


def _source(source: StatementSource, events: Mapping[str, str]) -> Shown:
    return {"label": SOURCES[source.kind], "address": _address(source, events)}


def _address(source: StatementSource, events: Mapping[str, str]) -> str:
    if source.kind == "item":
        return reverse("web:memory", args=[source.id])
    if source.kind == "snapshot":
        return reverse("web:snapshot", args=[source.id])
    if source.kind == "event" and source.id in events:
        return reverse("web:event", args=[events[source.id]])
    return ""


def _events_named(permit: Permit, statements: Iterable[ResearchStatement]) -> dict[str, str]:
    """The events' own names by their rows' keys."""
    keys = {one.id for statement in statements for one in statement.sources if one.kind == "event"}
    if not keys:
        return {}
    rows = CognitiveEvent.objects.filter(pk__in=[UUID(key) for key in keys], user_id=permit.user_id)
    return {str(event.pk): event.ref for event in rows}


def dated(text: str, at: datetime | None) -> Shown:
    """The day, and the month, the quarter or the year as the text writes it, where that is all it names."""
    return {"dated_on": day_of(at), "period": period_written(text, at) if at else ""}


def day_of(at: datetime | None) -> datetime | None:
    """Naive on purpose: the day a sentence names is that day everywhere, and kept as its end in UTC."""
    return at.astimezone(UTC).replace(tzinfo=None) if at else None
