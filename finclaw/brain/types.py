"""The values that a turn takes and gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal, Self
from uuid import UUID
from zoneinfo import ZoneInfo

from consent.experiment_assignment import VariantAssignment
from finclaw.brain.routing_parameters import USUAL_ROUTING, RoutingParameters, routing_of
from foundation.accounts.models import User
from foundation.ids import new_id
from foundation.language import ParsedMessage
from foundation.llm import ModelRole, TokenUsage
from foundation.llm.types import NO_FIELDS, CallerFields, ToolCall, ToolRound
from foundation.sanitization.prompt_text import NOTHING
from foundation.sanitization.types import SafeText, SanitizationResult
from knowledge.types import Platform
from media.models import MediaFile
from memory.models import ConversationEvent, Session
from memory.types import HistoryLine, RepeatedQuestion

IntentType = Literal["small_talk", "research", "correction", "knowledge_question", "memory_check", "statement", "chat"]
# A memory, an event, a message, a portrait, the stated context, a summary, a passage of a file.
CandidateKind = Literal["item", "event", "turn", "profile", "context", "summary", "document"]


@dataclass(frozen=True)
class Intent:
    """What a message wants. ``action_required`` asks for a skill; ``confidence`` is 0 to 1."""

    intent_type: IntentType
    confidence: float
    action_required: bool = False
    extracted_entities: dict[str, list[str]] = field(default_factory=dict)
    context_hints: tuple[str, ...] = ()


@dataclass(frozen=True)
class PromptCandidate:
    """Something that may enter the prompt; ``tokens`` is its size there.

    - ``said_in`` are the messages it was learned from.
    - ``slot`` names what a memory gives the value of (``home``), not a part of the window.
    - ``is_past`` marks one that no longer holds, ``is_supposed`` one that was only imagined or doubted.
    - ``is_prechecked`` marks one that was judged when it was stored, and may stand in a prompt as it is;
      ``manipulative`` one in which a model found orders to the assistant.
    - ``left_out`` says why it is refused whatever the room, "" for not at all.
    - ``is_asked_for`` marks a value of a requested slot, whatever words it shares with the message.
    - ``sanitization`` is pass, sanitized or blocked, and "" before it was sanitized; ``guardrail`` the rule that was
      hit. A blocked one keeps its ``text`` for the receipt: prompts read ``safe_text``.
    - Of a portrait, ``category`` is user or group, and ``occurred_at`` when it was last written.
    """

    kind: CandidateKind
    id: UUID
    text: str
    score: float
    tokens: int
    occurred_at: datetime
    said_by: str = ""
    category: str = ""
    provenance: str | None = None
    epistemic_type: str | None = None
    confidence: float | None = None
    memory_type: str = ""
    slot: str = ""
    said_in: tuple[UUID, ...] = ()
    is_past: bool = False
    is_supposed: bool = False
    is_prechecked: bool = False
    manipulative: bool = False
    left_out: str = ""
    relevant: bool = True
    is_asked_for: bool = False
    signals: dict[str, float] = field(default_factory=dict)
    sanitization: str = ""
    guardrail: str = ""

    @property
    def safe_text(self) -> SafeText:
        """The text as it may stand in a prompt; "" where it is blocked or not sanitized yet."""
        return (
            SafeText(self.text)
            if self.sanitization in (SanitizationResult.PASS, SanitizationResult.SANITIZED)
            else NOTHING
        )

    def dated_in(self, zone: ZoneInfo) -> Self:
        """The candidate with its moment on the calendar of a time zone."""
        return replace(self, occurred_at=self.occurred_at.astimezone(zone))


@dataclass(frozen=True)
class CandidateDecision:
    """A candidate taken or left out, and why. Positions count from 1."""

    candidate: PromptCandidate
    accepted: bool
    reason: str
    position: int | None = None


@dataclass(frozen=True)
class Assembly:
    """What enters the prompt: decisions by rank, and ``budget`` with the tokens given to each slot."""

    decisions: tuple[CandidateDecision, ...]
    budget: dict[str, int]
    budget_exceeded: bool

    @property
    def injected(self) -> list[PromptCandidate]:
        """The accepted candidates in their order in the prompt."""
        taken = [decision for decision in self.decisions if decision.accepted]
        return [decision.candidate for decision in sorted(taken, key=lambda decision: decision.position or 0)]


def with_positions(decisions: Iterable[CandidateDecision], positions: Iterable[int]) -> list[CandidateDecision]:
    """The decisions in their order; the accepted ones get the given positions one after another."""
    places = iter(positions)
    return [replace(decision, position=next(places)) if decision.accepted else decision for decision in decisions]


NO_ASSEMBLY: Final = Assembly((), {}, budget_exceeded=False)


@dataclass(frozen=True)
class UsedMemory:
    """One line of the explanation which memories an answer used and why."""

    kind: CandidateKind
    id: UUID
    text: str
    decision_reason: str
    context_position: int
    provenance: str | None
    epistemic_type: str | None
    confidence: float | None
    occurred_at: datetime


@dataclass(frozen=True)
class TurnResult:
    """A finished turn, stored with its receipts.

    ``question`` is the stored message that it answers; ``learning_job_id`` names the job that learns from it, where
    there is one. With ``tool_calls`` the model waits for what the calling program's tools say, and ``reply`` may be
    empty.
    """

    message_id: UUID
    reply: str
    intent: Intent
    skill: str | None
    memories_used: tuple[UsedMemory, ...]
    degraded: tuple[str, ...]
    usage: TokenUsage
    receipt_id: UUID
    question: ConversationEvent
    learning_job_id: UUID | None
    tool_calls: tuple[ToolCall, ...] = ()
    is_followed_up: bool = False  # whether the assistant asks a question below it


@dataclass(frozen=True)
class EarlierLookup:
    """What a program's tools answered in an earlier turn; ``question`` is the user's message before it."""

    question: SafeText
    rounds: tuple[ToolRound, ...]


@dataclass(frozen=True)
class ProgramRequest:
    """What a calling program adds to its user's message: none of it is ever learned.

    ``instructions`` are its own; ``caller`` holds the fields that the model gets as they are, ``rounds`` what its tools
    answered since the message, ``lookups`` what they answered in earlier turns, ``role`` the model it chose.
    ``history`` is the conversation as it knows it, the message included: empty for a program that names the
    conversation, None where no program asks. ``resends_tool_calls`` is False for one that does not send the pending
    tool calls again.
    """

    instructions: SafeText = NOTHING
    caller: CallerFields = NO_FIELDS
    rounds: tuple[ToolRound, ...] = ()
    lookups: tuple[EarlierLookup, ...] = ()
    role: ModelRole | None = None
    history: tuple[HistoryLine, ...] | None = None
    resends_tool_calls: bool = True

    @property
    def fixes_answer(self) -> bool:
        """Whether only a model can answer in the form that the program waits for: a tool call, or its JSON."""
        choice, form = self.caller.fields.get("tool_choice", "auto"), self.caller.fields.get("response_format")
        is_forced = self.caller.has_tools and choice not in ("auto", "none")
        return bool(self.rounds) or is_forced or (isinstance(form, dict) and form.get("type") != "text")


NO_PROGRAM: Final = ProgramRequest()


@dataclass(frozen=True)
class TurnRequest:
    """A validated message to be answered.

    ``message_id`` is the reply's id, chosen by the caller: asking again with the same id stores the turn at most once.
    ``repeats`` is set where the message is stored already, and its answer is replaced. ``receipt_id`` is that of the
    receipt that will explain the reply.
    """

    session_id: UUID
    blocks: tuple[dict[str, Any], ...]
    message_id: UUID = field(default_factory=new_id)
    repeats: RepeatedQuestion | None = None
    program: ProgramRequest = NO_PROGRAM
    receipt_id: UUID = field(default_factory=new_id)
    platform: Platform = Platform.API

    @property
    def before_seq(self) -> int | None:
        """The answer may know only messages with a smaller number than this in the conversation; None for all."""
        return self.repeats.answer.seq - 1 if self.repeats else None

    @property
    def said_until(self) -> datetime | None:
        """When the message was sent, where it is answered anew: memories said later are not recalled for its answer.
        The stated profile and the style of replies are as they are now.
        """
        return self.repeats.occurred_at if self.repeats else None

    @property
    def text(self) -> str:
        """The text of all blocks; what files say is none of the user's words."""
        return "\n".join(str(block["text"]) for block in self.blocks if "text" in block)

    @cached_property
    def message(self) -> ParsedMessage:
        """The text as everything in a turn reads it."""
        return ParsedMessage(self.text)


@dataclass(frozen=True)
class AttachedFile:
    """A file that came with a message, found safe; ``fallback`` is what the sender says it says."""

    file: MediaFile
    fallback: str = ""


def zone_of(session: Session, user: User) -> ZoneInfo:
    """The time zone of a user's turn in a conversation: where it was begun, if they began it, else where they are.

    The members of a group sit in several.
    """
    begun_here = session.time_zone if session.user_id == user.pk else ""
    return ZoneInfo(begun_here or user.time_zone)


@dataclass(frozen=True)
class TurnContext:
    """Who asks what in which conversation. ``erasures`` is how many the user had requested when the turn began;
    ``names`` are the organisation's groups of equivalent names, ``assignments`` the user's variants in experiments,
    ``files`` those that came with the message.
    """

    user: User
    session: Session
    request: TurnRequest
    erasures: int
    names: Sequence[frozenset[str]] = ()
    assignments: tuple[VariantAssignment, ...] = ()
    files: tuple[AttachedFile, ...] = ()

    @cached_property
    def routing(self) -> RoutingParameters:
        """The figures that decide where the message goes and what enters its prompt."""
        return routing_of(self.assignments) if self.assignments else USUAL_ROUTING

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which the user speaks."""
        return zone_of(self.session, self.user)

    @property
    def goes_on(self) -> bool:
        """Whether anything was said in the conversation before the message."""
        before = self.request.before_seq
        return (self.session.last_seq if before is None else before - 1) > 0

    @property
    def in_group(self) -> bool:
        """Whether other members read the conversation."""
        return self.session.group_id is not None
