"""Receipts of what the assistant ran: tools that a model called, skills, and steps of research."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from consent.permit import Permit
from foundation.database.bulk_insert import insert_rows
from memory.models import Session, ToolReceipt
from memory.types import ToolRun


def write_tool_receipts(
    permit: Permit, runs: Iterable[ToolRun], *, run_id: UUID, intent_type: str, session: Session | None = None
) -> None:
    """Write a receipt for each run of one reply, or of one research task (``run_id``), in the caller's transaction."""
    rows = [
        ToolReceipt(
            user_id=permit.user_id,
            session=session,
            run_id=run_id,
            kind=run.kind,
            tool=run.tool,
            skill=run.skill,
            intent_type=intent_type,
            outcome=run.outcome,
            error_code=run.error_code,
            duration_ms=round(run.duration_ms, 2),
            counts=run.counts,
            consent_version=permit.version,
        )
        for run in runs
    ]
    insert_rows(rows)


def tool_receipts_of(permit: Permit, run_id: UUID) -> list[ToolReceipt]:
    """The user's receipts of one reply or research task, in the order in which the tools ran."""
    return list(ToolReceipt.objects.filter(user_id=permit.user_id, run_id=run_id))
