"""Logs the events of the persona for operators: ids, modes and counts, never a user's words."""

from __future__ import annotations

from uuid import UUID

import structlog

from personas.types import Mode, ModeSource, PersonaContext, WriteBackEvent, WriteBackGround, WriteBackReason

log = structlog.get_logger(__name__)


def context_built(session_id: UUID, context: PersonaContext, mode_before: Mode) -> None:
    """Log that the persona layers of a prompt were built; once for each answer."""
    log.info(
        "persona.context.built",
        session_id=str(session_id),
        mode_before=mode_before,
        mode_after=context.meta.mode,
        sources=list(context.sources),
        memory_hits=context.meta.memory_hits,
        truncated=context.meta.truncated,
    )


def mode_changed(session_id: UUID, before: Mode, after: Mode, source: ModeSource, *, turns_over: bool = False) -> None:
    """Log that the mode of a conversation changed: at somebody's word, by a rule, or because its turns are over."""
    log.info(
        "persona.mode.changed",
        session_id=str(session_id),
        mode_before=before,
        mode_after=after,
        mode_source=source,
        turns_over=turns_over,
    )


def preference_persisted(session_id: UUID | None, memory_id: UUID, key: str, decision: WriteBackReason) -> None:
    """Log that a style preference became a memory, and why it was kept."""
    log.info(
        "persona.preference.persisted",
        session_id=str(session_id) if session_id else None,
        sources=[f"memory:item#{memory_id}"],
        key=key,
        writeback_decision=decision,
    )


def write_back_decided(session_id: UUID | None, key: str, decision: WriteBackEvent, ground: WriteBackGround) -> None:
    """Log one decision on a style wish, whether anything is written or not, and its ground."""
    log.info(
        "persona.preference.decided",
        session_id=str(session_id) if session_id else None,
        key=key,
        writeback_decision=decision,
        ground=ground,
    )
