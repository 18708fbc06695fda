"""The values of answering: what a rule answers, and a turn that is ready to be answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from finclaw.brain.answers.assembly_profiles import NO_CALL, AssemblyProfile
from finclaw.brain.persona import TurnPersona
from finclaw.brain.recall.overruled_statements import NOTHING_OVERRULED, OverruledStatements
from finclaw.brain.recall.search import NOTHING_RECALLED, RecallResult
from finclaw.brain.recall.window import Window
from finclaw.brain.turn_budget import TurnBudget
from finclaw.brain.types import Assembly, Intent, TurnContext
from foundation.language import Language
from foundation.llm import Prompt
from memory.research.types import TaskDraft


@dataclass(frozen=True)
class RuleAnswer:
    """An answer that rules write: the assistant's own, not a model's.

    ``draft`` is the task it announces, which ``skill`` does; ``is_refusal`` marks a refusal to act in the market, from
    which nothing is learned. ``correction`` is a memory's id with its new content; ``teaches_nothing`` marks an
    answer whose message is not learned from, ``answers_objection`` one to a message that calls the previous answer
    wrong. ``requested_skill`` is what the message asked for in vain. ``failure`` is the reason why that, or what the
    answer announces, could not be done.
    """

    text: str
    skill: str | None = None
    draft: TaskDraft | None = None
    is_refusal: bool = False
    language: Language = "en"
    correction: tuple[UUID, str] | None = None
    teaches_nothing: bool = False
    answers_objection: bool = False
    requested_skill: str = ""
    failure: str = ""

    @property
    def action(self) -> str:
        """What the answer announces, or what was asked for in vain: a skill's name or ``correct_memory``; else ""."""
        return self.skill or self.requested_skill or ("correct_memory" if self.correction else "")


@dataclass(frozen=True, kw_only=True)
class PreparedTurn:
    """Everything decided before the model is asked."""

    context: TurnContext
    intent: Intent
    prompt: Prompt
    assembly: Assembly
    window: Window  # the part of the conversation in the prompt
    persona: TurnPersona
    recall_result: RecallResult = NOTHING_RECALLED
    stores: tuple[str, ...] = ()  # the knowledge stores that answered
    knowledge_ids: tuple[UUID, ...] = ()  # the entries of the organisation's knowledge in the prompt
    degraded: tuple[str, ...] = ()
    call: AssemblyProfile = NO_CALL
    budget: TurnBudget = field(default_factory=TurnBudget.configured)  # the model calls and tokens the turn has left
    content_parts: tuple[dict[str, Any], ...] = ()  # what a model that sees is shown beside the prompt
    overruled: OverruledStatements = NOTHING_OVERRULED  # look-ups leave it out, too
    rule_answer: RuleAnswer | None = None  # replaces the model's
