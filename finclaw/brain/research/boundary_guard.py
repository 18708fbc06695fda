"""The boundary after the model as before it (B-11): nothing that comes out acts, or carries what acting needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from finclaw.brain.research.boundary import asks_to_execute, refuse_execution, refuse_fields
from finclaw.brain.research.boundary.fields import holds_forbidden_field
from finclaw.brain.research.note import PersonalNote
from finclaw.brain.research.route_skills import ResultDraft
from memory.models import Route
from memory.research.types import CheckpointDraft, RefreshDraft, ResearchStatement, SnapshotDraft

Statements = tuple[ResearchStatement, ...]


def filter_told(route: str, told: Statements) -> Statements:
    """Of what a person told before, what may stand in the route's object: a checkpoint holds nothing that acting needs,
    and leaves it out rather than be refused for what was said another day.
    """
    return tuple(filter(_is_allowed, told)) if route == Route.PRE_EXECUTION else told


def filter_note(route: str, note: PersonalNote | None) -> PersonalNote | None:
    """The note, of a checkpoint without its person's own words that hold what acting needs; a model's is refused."""
    return note if note is None or note.written else replace(note, statements=filter_told(route, note.statements))


def refuse_acting_result(draft: ResultDraft, note: PersonalNote | None) -> None:
    """Raise ``BoundaryRefused`` where an advisor or a model wrote what asks to act, or claims that it was done; in a
    checkpoint also what acting needs.
    """
    texts = (*_written_texts(draft), *(note.written if note else ()))
    for text in texts:
        refuse_execution(text)
    if isinstance(draft, CheckpointDraft):
        refuse_fields(texts)


def _is_allowed(statement: ResearchStatement) -> bool:
    return not asks_to_execute(statement.text) and not holds_forbidden_field(statement.text)


def _written_texts(draft: ResultDraft) -> Iterable[str]:
    """What of a draft an advisor or a model wrote; a checkpoint's decision is its person's own words."""
    if isinstance(draft, RefreshDraft):
        return _written_texts(draft.snapshot)
    if isinstance(draft, SnapshotDraft):
        statements = (*draft.evidence, *draft.counter_thesis, *draft.invalidators)
        return (draft.main_thesis, *(statement.text for statement in statements), *draft.watch_questions)
    if isinstance(draft, CheckpointDraft):
        return tuple(statement.text for statement in (*draft.conditions, *draft.risks, *draft.invalidators))
    return tuple(statement.text for section in draft.sections for statement in section.statements)
