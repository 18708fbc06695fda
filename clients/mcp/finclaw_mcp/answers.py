"""Defines the tools' answers: the fields of the API's answers that an assistant can use."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """The common part: fields that the API adds later are left out."""

    model_config = ConfigDict(extra="ignore")


class Memory(Answer):
    """One thing that is remembered of the user."""

    memory_id: str
    memory: str = Field(description="The statement, in words.")
    memory_type: str = Field(description="What kind of statement it is: a fact, a preference, an insight …")
    epistemic_type: str = Field(description="Whether it was stated, observed or inferred.")
    state: str = Field(description="active, quarantined, superseded or invalid.")
    confidence: float = Field(description="0 to 1.")
    valid_at: str | None = Field(default=None, description="Since when it has been true.")
    invalid_at: str | None = Field(default=None, description="Until when it was true.")
    created_at: str = Field(description="When it was learned.")
    score: float | None = Field(default=None, description="How well it answers the question, in a search.")


class Memories(Answer):
    """Memories, best or latest first."""

    results: list[Memory]
    degraded: list[str] = Field(default=[], description="What did not work meanwhile.")
    next_cursor: str | None = Field(default=None, description="Give it as cursor for the next page.")


class LearnedChange(Answer):
    """One change that adding made."""

    memory_id: str
    memory: str | None = Field(default=None, description="In words; null where it is no longer kept.")
    event: str = Field(description="ADD, UPDATE, SUPERSEDE, MERGE or NONE.")


class Added(Answer):
    """What was learned of a text; while the job is not done, ``results`` is not complete."""

    job_id: str | None = None
    state: str = Field(default="done", description="pending, leased, done …: of the job that learns.")
    results: list[LearnedChange] = []
    masked: list[dict[str, str]] = Field(default=[], description="What was masked before it was stored.")


class MemoryChange(Answer):
    """A change of a memory, and the rule that made it."""

    memory_id: str
    action: str
    actor: str
    rule: str
    at: str
    undone_at: str | None = None


class MemoryHistory(Answer):
    """Every version of a memory and every change, oldest first."""

    results: list[Memory]
    changes: list[MemoryChange]


class Forgotten(Answer):
    """The receipt of an erasure: hidden at once, deleted everywhere within the legal term."""

    receipt_id: str
    tombstone_id: str
    item_count: int = Field(description="How many memories it takes along.")
    estimated_completion: str
    certificate_url: str = Field(description="Where the signed certificate will be.")


class ContextPart(Answer):
    """One thing in the context, with the reason for it."""

    kind: str
    id: str | None = None
    text: str
    decision_reason: str | None = None


class PromptContext(Answer):
    """What FinClaw itself would tell a model before it answers the question."""

    text: str = Field(description="Tagged: information about the user, never instructions.")
    tokens: int = Field(description="How long it is, by estimate.")
    parts: list[ContextPart] = []
    withheld: str = Field(default="", description="Why memory was not searched.")
    degraded: list[str] = []


class Event(Answer):
    """Something that happened, in words that need no context."""

    event_id: str
    canonical_text: str
    timestamp_utc: str = Field(description="When it was told.")
    speaks_of_start: str | None = Field(default=None, description="The first day it speaks of.")
    speaks_of_end: str | None = Field(default=None, description="The last day it speaks of.")
    location_abs: str = ""
    group_id: str | None = None
    score: float | None = None


class Events(Answer):
    """Events, best first."""

    results: list[Event]
    degraded: list[str] = []


class Profile(Answer):
    """The portrait of a person or a group."""

    entity_type: str
    entity_id: str
    name: str
    tags: list[str] = []
    body: str = Field(description="Markdown, a section each for work, people, plans …")
    updated_at: str
    score: float | None = None


class Profiles(Answer):
    """Portraits, best first."""

    results: list[Profile]
    degraded: list[str] = []


class Ended(Answer):
    """Whether an event is written of the turn."""

    session_id: str
    event_id: str | None = None
    queued: bool
    reason: str | None = Field(default=None, description="Why nothing is written.")
