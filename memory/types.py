"""Frozen values of memory that other packages receive."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypedDict
from uuid import UUID

Kind = Literal["item", "event", "turn", "profile", "document"]
Strategy = Literal["score", "rrf", "lexical", "vector"]
ASSISTANT: Final = "FinClaw"
"""The name that our own answers stand under."""
IMPORTED_ASSISTANT: Final = "Assistant"
"""The name that another assistant's answers stand under."""


class AnswerPlace(NamedTuple):
    """An answer, and its number in the conversation."""

    id: UUID
    seq: int


@dataclass(frozen=True)
class RepeatedQuestion:
    """A stored message that is to be answered anew, and the answer that then gives way; with ``awaits_tools`` one that
    only asks for what a program's tools say.
    """

    id: UUID
    session_id: UUID
    blocks: tuple[dict[str, Any], ...]
    occurred_at: datetime
    answer: AnswerPlace
    awaits_tools: bool = False


@dataclass(frozen=True)
class NewMessage:
    """A message to be recorded. ``blocks`` are content blocks; ``occurred_at`` None means now.

    An ``echo`` only repeats what was remembered; it is never learned from, nor found again. ``replaces`` names the
    answer whose place this one takes.
    """

    role: Literal["user", "assistant"]
    blocks: tuple[dict[str, Any], ...]
    speaker: str
    occurred_at: datetime | None = None
    external_ref: str = ""
    id: UUID | None = None
    echo: bool = False
    replaces: AnswerPlace | None = None

    @classmethod
    def of_text(cls, role: Literal["user", "assistant"], text: str, speaker: str, **more: Any) -> NewMessage:
        """Make a message of one text block."""
        return cls(role=role, blocks=({"type": "text", "text": text},), speaker=speaker, **more)


class HistoryLine(NamedTuple):
    """A message of a conversation as a program knows it."""

    role: Literal["user", "assistant"]
    text: str


class TranscriptLine(NamedTuple):
    """A message as a transcript shows it: number ``seq`` (from 1) of its conversation.

    ``role`` is one of ``ConversationEvent.Role``.
    """

    id: UUID
    seq: int
    role: str
    speaker: str
    text: str
    occurred_at: datetime


class SummaryBlock(TypedDict):
    """The summary of messages ``from_seq`` to ``to_seq`` of a conversation, as its row keeps it.

    ``made_by`` is the model that wrote it, or ``extractive``. ``created_at`` (RFC 3339) is when the first of what it
    was made of was written: blocks that are joined keep the older moment.
    """

    from_seq: int
    to_seq: int
    text: str
    made_by: str
    created_at: str


@dataclass(frozen=True)
class SearchQuery:
    """What to search for, and where.

    ``group_id`` limits to one group's rows (the caller must be a member); without it only the user's own rows are read.
    ``speaker_only`` limits a group's turns and items to the caller's. ``exclude_session`` leaves out a conversation
    that is in the prompt anyway; with ``exclude_since`` only what was said in it from then on. ``valid_at`` limits
    items to those true of the world then. ``said_until`` leaves out what nobody had said by then. ``with_past`` also
    finds messages of which something that was learned holds no more, marked as past. ``more_terms`` are index tokens to
    look for beside the question's. With ``floored`` nothing is found that does not bear on the question, where the
    model's floor has been measured.
    """

    text: str
    kinds: tuple[Kind, ...] = ("item",)
    group_id: UUID | None = None
    speaker_only: bool = False
    top_k: int = 8
    exclude_session: UUID | None = None
    exclude_since: datetime | None = None
    time_from: datetime | None = None
    time_to: datetime | None = None
    valid_at: datetime | None = None
    known_at: datetime | None = None
    said_until: datetime | None = None
    strategy: Strategy | None = None
    with_past: bool = False
    more_terms: tuple[str, ...] = ()
    floored: bool = False

    @property
    def is_narrowed(self) -> bool:
        """Whether it is limited to a group, or to what was said or true at some time."""
        limits = (self.group_id, self.time_from, self.time_to, self.valid_at, self.known_at, self.said_until)
        return any(limit is not None for limit in limits)


@dataclass(frozen=True)
class SearchHit:
    """A row that search found. ``score`` orders; ``signals`` say why.

    ``provenance``, ``confidence``, ``slot`` and ``epistemic_type`` are those of an item, None for events and turns.
    ``said_in`` are the messages an item was learned from; ``is_past`` marks an item that is closed, and a message from
    which such an item was learned. ``is_prechecked`` says that today's rules judged the text when it was stored, and
    that it may stand in a prompt as it is; ``manipulative``, that a model found it no better than an order to the
    assistant.
    """

    kind: Kind
    id: UUID
    text: str
    score: float
    occurred_at: datetime
    said_by: str = ""
    category: str = ""
    memory_type: str = ""
    slot: str = ""
    provenance: str | None = None
    epistemic_type: str | None = None
    confidence: float | None = None
    said_in: tuple[UUID, ...] = ()
    is_past: bool = False
    is_prechecked: bool = False
    manipulative: bool = False
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchResult:
    """The hits of a search, best first, its duration, and what ran degraded.

    ``withheld`` says why nothing was read (a value of ``Receipt.Unsearched``), "" where it was.
    """

    hits: tuple[SearchHit, ...]
    strategy: str
    latency_ms: float
    degraded: tuple[str, ...] = ()
    withheld: str = ""


@dataclass(frozen=True)
class EndInput:
    """The input of ``end``. Empty ``action_summary`` and ``new_info`` end the turn and queue nothing."""

    request_id: str
    end_seq: int = 1
    action_summary: str = ""
    new_info: str = ""
    force: bool = False
    occurred_at: datetime | None = None
    message_ids: tuple[UUID, ...] = ()
    location: str = ""
    time_zone: str = ""

    @property
    def event_id(self) -> str:
        """The id of the event that is made of it."""
        return f"{self.request_id}:{self.end_seq}"


@dataclass(frozen=True)
class EndReceipt:
    """The result of ``end``. Where nothing was queued, ``event_id`` is None and ``reason`` says why."""

    event_id: str | None
    queued: bool
    reason: str | None = None
    job_id: UUID | None = None


@dataclass(frozen=True)
class ItemChange:
    """What a write did to a memory."""

    memory_id: UUID
    event: Literal["ADD", "UPDATE", "SUPERSEDE", "MERGE", "NONE"]


@dataclass(frozen=True)
class LineDraft:
    """One candidate of a receipt, before it is written.

    ``sanitization`` is pass, sanitized or blocked; ``guardrail`` the id of the rule that was hit. ``utilized`` and
    ``utilization`` say whether the reply drew on it and how that is known; None and empty where nobody looked.
    """

    kind: str
    ref_id: UUID
    accepted: bool
    reason: str
    score: float
    signals: dict[str, float] = field(default_factory=dict)
    position: int | None = None
    guardrail: str = ""
    sanitization: str = ""
    utilized: bool | None = None
    utilization: str = ""


@dataclass(frozen=True)
class ToolRun:
    """One thing the assistant ran, before its receipt is written: names, codes and numbers, never words.

    ``kind`` and ``outcome`` are values of ``ToolReceipt``; ``skill`` is the one a step belongs to.
    """

    kind: str
    tool: str
    outcome: str
    duration_ms: float
    error_code: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    skill: str = ""
