"""Template data of chats, memories and events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.permit import Permit
from finclaw.web.links import render_links
from finclaw.web.lookups import show_lookups
from finclaw.web.memory_changes import show_changes
from finclaw.web.portraits import show_excerpt
from finclaw.web.timeline import Kind, Timeline, TimelineSpan, draw_timeline
from finclaw.web.types import TemplateData
from foundation.llm import ModelUnavailable
from foundation.llm.offline_model import MODEL_OFFLINE
from foundation.llm.types import ANSWER_CUT
from memory.content_blocks import REDACTED
from memory.historian.events import PERSON
from memory.importing.chats.exported_chats import SOURCES
from memory.models import CognitiveEvent, ConversationEvent, EvolutionEvent, MemoryItem, ReceiptLine, Session
from memory.models.sessions import text_of
from memory.services.conflicts import OpenConflict
from memory.services.reply_traces import ReplyTrace, TraceEntry
from memory.services.sources import sources_of

QUOTE_CHARS = 300
_SAID_ELSEWHERE = frozenset({MODEL_OFFLINE, ANSWER_CUT})
SETTINGS = "context"
"""The trace kind of preferences that the user set for all answers."""
_CHANGES = {
    "add": gettext_lazy("First noted"),
    "supersede": gettext_lazy("You said something newer"),
    "confirmed": gettext_lazy("You confirmed it"),
    "confirm": gettext_lazy("You confirmed it"),
    "corrected": gettext_lazy("You corrected it"),
}
_REACTIONS = {
    "positive": gettext_lazy("You said it was right."),
    "negative": gettext_lazy("You said it was wrong."),
    "restated": gettext_lazy("You had to say it again."),
    "follow_up": gettext_lazy("You went on about it."),
}


def show_session(session: Session) -> TemplateData:
    """A chat in a list and above its messages."""
    return {
        "session_id": session.pk,
        "title": session.title,
        "temporary": not session.remember,
        "ended_at": session.archived_at,
        "last_message_at": session.last_active_at,
    }


def show_turn(
    message: ConversationEvent,
    trace: ReplyTrace | None = None,
    learned: TemplateData | None = None,
    started: TemplateData | None = None,
    mode_change: TemplateData | None = None,
    knowledge: Sequence[TemplateData] = (),
    files: Sequence[TemplateData] = (),
) -> TemplateData:
    """One message of a chat with its files and what was learned from it; an answer with the memories it used, what was
    looked up for it, the task it started, a changed mode, and the entries of the organisation's ``knowledge`` that it
    was given.

    Preferences that the user set for all answers are not listed as memories used.
    """
    memories = [memory for memory in trace.memories if memory.kind != SETTINGS] if trace else []
    return {
        "message_id": message.pk,
        "role": message.role,
        "text": text_with_marks(message),
        "linked": render_links(text_with_marks(message)) if message.role == ConversationEvent.Role.ASSISTANT else "",
        "is_redacted": message.redacted_at is not None,
        "memories_used": [_show_used(memory) for memory in memories],
        "looked_up": show_lookups(trace.tools) if trace else [],
        "drawn_on": sum(memory.utilized is not False for memory in memories),
        # The chat says once, in its banner, that no model is there.
        "degraded": [code for code in trace.degraded if code not in _SAID_ELSEWHERE] if trace else [],
        "is_cut": trace is not None and ANSWER_CUT in trace.degraded,
        "model_failed": trace is not None and ModelUnavailable.code in trace.degraded,
        "learned": learned,
        "started": started,
        "mode_change": mode_change,
        "knowledge": knowledge,
        "follow_up": trace.follow_up if trace else None,
        "files": files,
    }


def text_with_marks(message: ConversationEvent) -> str:
    """The text of a message, with a mark where sentences were removed."""
    blocks = (_("[forgotten]") if block.get("type") == REDACTED else text_of([block]) for block in message.content)
    return "\n".join(filter(None, blocks))


def _show_used(memory: TraceEntry) -> TemplateData:
    """A memory that an answer used; a portrait by its first lines, with a link to its page."""
    shown = vars(memory) | {
        "memory_id": memory.ref,
        "text": _shorten(memory.text) if memory.kind in ("turn", "document") else memory.text,
        "decision_reason": _reason_text(memory.reason),
    }
    return shown | show_excerpt(memory.ref, memory.text) if memory.kind == "profile" else shown


def _reason_text(code: str) -> str:
    if code == ReceiptLine.Reason.RELEVANCE:
        return _("it bears on what you said")  # not "asked": the message may be no question
    return str(ReceiptLine.Reason(code).label) if code in ReceiptLine.Reason.values else ""


def show_memory(item: MemoryItem, *, confirmed: bool = False) -> TemplateData:
    """A statement, in lists and on its own page."""
    told = item.provenance == MemoryItem.Provenance.CONFIRMED_BY_USER
    return {
        "memory_id": item.pk,
        "text": item.content,
        "provenance": item.provenance,
        "program": item.program,
        "moved_from": SOURCES.get(item.imported_from, ""),
        "memory_type_name": item.get_memory_type_display(),
        "epistemic_type": item.epistemic_type,
        "confidence": item.confidence,
        "created_at": item.created_at,
        "state": item.state,
        "valid_from": item.valid_at,
        "valid_to": item.invalid_at,
        "last_confirmed_at": item.last_validated_at if told else None,
        "replaced_by": item.superseded_by_id,
        "confirmed": confirmed,
    }


def show_timeline(chains: Sequence[UUID], versions: Iterable[MemoryItem], now: datetime) -> Timeline:
    """The timeline of these chains in order; ``versions`` are theirs, oldest first."""
    spans: dict[UUID, list[TimelineSpan]] = {chain: [] for chain in chains}
    for item in versions:
        spans[item.chain_id].append(
            TimelineSpan(item.pk, item.content, item.valid_at, item.invalid_at, _span_kind(item, now))
        )
    return draw_timeline(list(spans.values()), now)


def _span_kind(item: MemoryItem, now: datetime) -> Kind:
    if item.state == MemoryItem.State.QUARANTINED:
        return "unsure"
    is_over = item.invalid_at is not None and item.invalid_at <= now
    return "past" if is_over or item.state != MemoryItem.State.ACTIVE else "now"


def show_history(
    versions: Sequence[MemoryItem], current: MemoryItem, changes: Iterable[EvolutionEvent]
) -> list[TemplateData]:
    """A chain of versions, newest first, each with what happened to it."""
    happened = show_changes(changes)
    return [
        _show_version(item, happened.get(item.pk, [])) | {"is_current": item.pk == current.pk}
        for item in reversed(versions)
    ]


def _show_version(item: MemoryItem, changes: list[TemplateData]) -> TemplateData:
    """A version with its changes; one from before changes were recorded has only the reason why it was created."""
    told = _CHANGES.get(str(item.provenance_detail.get("change", "")), "")
    return {
        "memory_id": item.pk,
        "text": item.content,
        "noted_at": item.created_at,
        "valid_from": item.valid_at,
        "valid_to": item.invalid_at,
        "confidence": item.confidence,
        "is_in_use": item.superseded_at is None,
        "reason": "" if changes else told,
        "changes": changes,
    }


def show_unsure(permit: Permit, rows: Sequence[MemoryItem]) -> list[TemplateData]:
    """Statements that wait for the user's confirmation, each with the messages it came from."""
    said = sources_of(permit, rows).in_bulk()
    return [
        show_memory(item) | {"sources": show_sources(said[key] for key in item.message_ids if key in said)}
        for item in rows
    ]


def show_conflicts(permit: Permit, conflicts: Sequence[OpenConflict]) -> list[TemplateData]:
    """Pairs of memories of which perhaps only one holds, the newer first, with the messages each came from."""
    rows = [item for conflict in conflicts for item in (conflict.newer, conflict.older)]
    shown = show_unsure(permit, rows)
    return [
        {"newer": newer, "older": older, "both": [newer, older]}
        for newer, older in zip(shown[::2], shown[1::2], strict=True)
    ]


def title_of(session: Session) -> str:
    """The title of a conversation beside the user's own rows.

    A group's title is withheld: it is made from all members' words, and a former member may still have rows there.
    """
    return _("Group chat") if session.group_id else session.title


def show_sources(messages: Iterable[ConversationEvent]) -> list[TemplateData]:
    """The messages something came from."""
    return [
        {
            "quote": _shorten(text_with_marks(message)),
            "is_redacted": message.redacted_at is not None,
            "said_at": message.occurred_at,
            "session_id": message.session_id,
            "session_title": title_of(message.session),
        }
        for message in messages
    ]


def show_uses(lines: Iterable[ReceiptLine]) -> list[TemplateData]:
    """The answers that used a statement."""
    return [
        {
            "used_at": line.receipt.created_at,
            "session_id": line.receipt.session_id,
            "session_title": title_of(line.receipt.session) if line.receipt.session else "",
            "reason": _("Why: %(reason)s") % {"reason": _reason_text(line.decision_reason)},
            "taken": _show_outcome(line),
        }
        for line in lines
    ]


def _show_outcome(line: ReceiptLine) -> str:
    """How the answer used the statement, and how the user reacted; empty until that is known."""
    used = {True: _("The answer drew on it."), False: _("The answer did not need it.")}
    told = _REACTIONS.get(line.user_feedback_signal, "")
    return f"{used[line.utilized]} {told}".strip() if line.utilized is not None else str(told)


def show_event(event: CognitiveEvent, reader_id: UUID) -> TemplateData:
    """An event in the local time of where it happened; ``mine`` where it is the reader's (``reader_id``)."""
    return {
        "event_id": event.ref,
        "mine": event.user_id == reader_id,
        "teller": "" if event.user_id == reader_id else event.sender.name,
        "group": event.group.name if event.group else "",
        "unresolved": event.unresolved,
        "told_by_person": event.rewritten_by == PERSON,
        "text": event.canonical_text,
        # Naive on purpose: a template moves an aware time into the reader's own zone.
        "occurred_at": event.timestamp_utc.astimezone(ZoneInfo(event.timezone)).replace(tzinfo=None),
        "time_zone": event.timezone,
        "place": event.location_abs,
        "recorded_at": event.created_at,
    }


def _shorten(text: str) -> str:
    return text if len(text) <= QUOTE_CHARS else text[: QUOTE_CHARS - 1].rstrip() + "…"
