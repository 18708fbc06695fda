"""Applies the execution boundary to research results: nothing that comes out acts, or carries what acting needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from finclaw.brain.boundary import asks_to_execute, refuse_execution, refuse_fields
from finclaw.brain.boundary.fields import holds_forbidden_field
from finclaw.brain.boundary.statements import statement_asks_to_execute
from finclaw.brain.research.note import PersonalNote
from finclaw.brain.research.result_drafts import ResultDraft
from memory.models import Route
from memory.research.types import CheckpointDraft, RefreshDraft, ResearchStatement, SnapshotDraft

Statements = tuple[ResearchStatement, ...]


def permitted_statements(route: str, told: Statements) -> Statements:
    """Earlier statements of the user that may stand in the route's result: a checkpoint leaves out those with forbidden
    fields instead of being refused for them.
    """
    return tuple(filter(_is_allowed, told)) if route == Route.PRE_EXECUTION else told


def permitted_note(route: str, note: PersonalNote | None) -> PersonalNote | None:
    """The note; for a checkpoint without user quotations that order something or hold forbidden fields. They are judged
    as statements about oneself. A note that a model wrote is left to ``refuse_acting_result``.
    """
    if note is None or note.model_texts or route != Route.PRE_EXECUTION:
        return note
    return replace(note, statements=tuple(filter(_is_allowed_in_note, note.statements)))


def refuse_acting_result(draft: ResultDraft, note: PersonalNote | None) -> None:
    """Raise ``BoundaryRefused`` where an advisor or a model wrote a request to act or claims to have acted; in a
    checkpoint also for forbidden fields.
    """
    texts = (*_written_texts(draft), *(note.model_texts if note else ()))
    for text in texts:
        refuse_execution(text)
    if isinstance(draft, CheckpointDraft):
        refuse_fields(texts)


def _is_allowed_in_note(statement: ResearchStatement) -> bool:
    # The user's own words stand in quotation marks; a note without any is judged whole.
    said = statement.text.partition("“")[2].rpartition("”")[0] or statement.text
    return not statement_asks_to_execute(said) and not holds_forbidden_field(said)


def _is_allowed(statement: ResearchStatement) -> bool:
    return not asks_to_execute(statement.text) and not holds_forbidden_field(statement.text)


def _written_texts(draft: ResultDraft) -> Iterable[str]:
    """The texts of a draft that an advisor or a model wrote; a checkpoint's decision is the user's own."""
    if isinstance(draft, RefreshDraft):
        return _written_texts(draft.snapshot)
    if isinstance(draft, SnapshotDraft):
        statements = (*draft.evidence, *draft.counter_thesis, *draft.invalidators)
        return (draft.main_thesis, *(statement.text for statement in statements), *draft.watch_questions)
    if isinstance(draft, CheckpointDraft):
        return tuple(statement.text for statement in (*draft.conditions, *draft.risks, *draft.invalidators))
    return tuple(statement.text for section in draft.sections for statement in section.statements)
