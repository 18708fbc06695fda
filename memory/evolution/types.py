"""Values that the learning pipeline passes along. The enumerations are those of ``MemoryItem``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from memory.confidence import Provenance

if TYPE_CHECKING:
    from memory.evolution.gate.types import Band

MemoryType = Literal[
    "observation", "preference", "pattern", "insight", "summary", "persona_preference", "agent_experience"
]
EpistemicType = Literal["fact", "opinion", "preference", "outdated"]
Action = Literal["ADD", "SUPERSEDE", "RETIRE", "CONFIRM", "NONE"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a user, as analysis reads it.

    ``addressed_by_assistant`` is the assistant's message just before it. ``time_zone``, an IANA name, is the one in
    which "yesterday" was said.
    """

    text: str
    speaker: str
    said_at: datetime
    addressed_by_assistant: str = ""
    time_zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A memory item in force, as far as resolution needs to see it.

    ``said_in`` are the ids of its messages; one that ``awaits_confirmation`` by the user is not believed yet.
    """

    memory_id: UUID
    subject: str
    slot: str
    value: str
    content: str
    memory_type: str
    provenance: str
    confidence: float
    valid_at: datetime
    said_in: tuple[str, ...] = ()
    awaits_confirmation: bool = False


@dataclass(frozen=True, slots=True)
class StatementCandidate:
    """A statement found in an utterance, not yet compared with what is known.

    ``attributes`` holds ``subject``, ``slot``, ``value`` and ``polarity`` (``positive`` | ``negative``); ``quote`` is
    the exact clause it came from. ``corrects`` says that a mark of correction stands before it ("No, …", "不对，…") and
    no "too" behind. ``replaces`` marks a correction or a change, and ``replaced_value`` is the old value if the user
    named it; with ``corrects_only`` the candidate counts only if that value is known: "not hiking, but cycling".
    ``by_model`` says that no rule, but a model found it, and ``related`` which known item the model says it changes or
    retracts. ``happened_by`` is the latest moment at which what it tells may have happened. ``change`` is the
    probability (0–1) that it changes an earlier statement. A candidate of the ``band`` "ask" is kept once the user
    confirms it, or if it surely changes a known item; one of the band "ignore" is kept only in the second case.
    ``for_now`` marks a request for the style of the answers at hand, which lasts only if its sentence says so.
    """

    memory_type: MemoryType
    content: str
    epistemic_type: EpistemicType
    provenance: Provenance
    confidence: float
    category: str
    rule: str
    quote: str
    valid_at: datetime
    attributes: Mapping[str, str] = field(default_factory=dict)
    corrects: bool = False
    replaces: bool = False
    replaced_value: str | None = None
    corrects_only: bool = False
    by_model: bool = False
    related: UUID | None = None
    happened_by: datetime | None = None
    change: float = 0.0
    band: Band = "remember"
    for_now: bool = False


@dataclass(frozen=True, slots=True)
class EvolutionDecision:
    """What a candidate does to the known items; ``target`` is the item it acts on.

    ``repeats`` marks a mere repetition of the target, ``too_old`` a candidate that a newer statement has overtaken.
    ``may_change`` is an item that it perhaps replaces: both stay in force until the user decides.
    ``replaces_if_confirmed`` is an item that it replaces once the user confirms the candidate, and that stays in force
    until then.
    """

    action: Action
    target: UUID | None
    reason: str
    repeats: bool = False
    too_old: bool = False
    may_change: UUID | None = None
    replaces_if_confirmed: UUID | None = None
