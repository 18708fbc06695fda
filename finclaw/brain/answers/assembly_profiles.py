"""Says which model answers a turn and which tools it is offered: its prompt is assembled for that call.

The small model answers small talk and short follow-ups. The large one answers the rest, and what follows a correction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from finclaw.brain.recall.window import Window
from finclaw.brain.types import Intent
from finclaw.brain.understanding.intent import corrects
from finclaw.brain.understanding.short_followups import FOLLOW_UP
from foundation.llm import ModelRole, model_id_for


@dataclass(frozen=True)
class AssemblyProfile:
    """For what a turn's answering call is assembled: which model, and whether it may look things up or end the turn."""

    role: ModelRole = "large"
    looks_up: bool = False
    ends_turn: bool = False

    @property
    def takes_tools(self) -> bool:
        """Whether any tool is offered."""
        return self.looks_up or self.ends_turn


NO_CALL: Final = AssemblyProfile()
"""Of an answer that rules write."""


def answering_call(intent: Intent, window: Window, *, may_look_up: bool, may_end: bool) -> AssemblyProfile:
    """The call that answers by its intent; only the large model is declared to take tools."""
    if answering_role(intent, window) == "small":
        return AssemblyProfile("small")
    return AssemblyProfile("large", may_look_up, may_end)


def answering_role(intent: Intent, window: Window) -> ModelRole:
    """Which model answers: by intent, where ``MODEL_ROUTING`` is on and the small model is not the large one.

    Right after the user corrected the assistant, the large model answers follow-ups, too.
    """
    if not settings.MODEL_ROUTING or model_id_for("small") == model_id_for("large"):
        return "large"
    if intent.intent_type == "small_talk":
        return "small"
    follows_up = FOLLOW_UP in intent.context_hints and intent.intent_type != "correction"
    return "small" if follows_up and not _was_corrected(window) else "large"


def _was_corrected(window: Window) -> bool:
    said = next((message.content for message in reversed(window.messages) if message.role == "user"), "")
    return corrects(said)
