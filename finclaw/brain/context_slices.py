"""Lists the slices: portions of what is remembered that a prompt may be given, each with its default.

A receipt, a trace and the API name a slice by its short id; the code by the constant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from memory.models import UserContext

SliceName = Literal["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"]
LANGUAGE: Final = "S1"
RESEARCH_DEPTH: Final = "S2"
RISK_TONE: Final = "S3"
FOCUS: Final = "S4"
RESEARCH_STYLE: Final = "S5"
ACTIVE_THREADS: Final = "S6"
POSITIONS: Final = "S7"
LIMITS: Final = "S8"
STANCE_DRIFT: Final = "S9"
ContextScope = Literal["task", "thread", "profile"]


@dataclass(frozen=True)
class SliceDefinition:
    """A slice of memory: its title, the stated fields it holds, and the scopes to look for them in, nearest first.

    It takes at most ``most_tokens`` of a prompt, by estimate. ``default`` stands where nothing was stated; without one
    the slice is left out. Slices without fields are made of database rows.
    """

    title: str
    most_tokens: int
    fields: tuple[str, ...] = ()
    scopes: tuple[ContextScope, ...] = ()
    default: str = ""


_ANY: Final[tuple[ContextScope, ...]] = ("task", "thread", "profile")
SLICES: Final = MappingProxyType[SliceName, SliceDefinition](
    {
        LANGUAGE: SliceDefinition("language", 20, ("language_preference",), _ANY, UserContext.Language.ENGLISH.value),
        RESEARCH_DEPTH: SliceDefinition(
            "research depth", 20, ("research_depth",), _ANY, UserContext.ResearchDepth.STANDARD.value
        ),
        RISK_TONE: SliceDefinition(
            "how to speak of risk", 20, ("risk_prompt_preference",), _ANY, UserContext.RiskPrompt.BALANCED.value
        ),
        FOCUS: SliceDefinition("what the person cares about", 100, ("user_focus_reason",), _ANY),
        RESEARCH_STYLE: SliceDefinition("research style", 200, ("research_style",), _ANY),
        ACTIVE_THREADS: SliceDefinition("the last three active threads", 300),
        POSITIONS: SliceDefinition("positions", 200, ("user_stated_position_context",), _ANY),
        LIMITS: SliceDefinition("constraints and time horizon", 200, ("constraints", "time_horizon"), _ANY),
        STANCE_DRIFT: SliceDefinition("how often the stance drifted lately", 50),
    }
)
CHAT: Final[tuple[SliceName, ...]] = (LANGUAGE, RESEARCH_DEPTH, RISK_TONE)
"""The slices that plain conversation is given."""


def stated_fields_of(slices: Iterable[SliceName]) -> tuple[str, ...]:
    """The stated fields that these slices hold."""
    return tuple(name for loaded in slices for name in SLICES[loaded].fields)


def stated_fields(context: UserContext | None) -> dict[str, str]:
    """The stated context fields of the slices in ``CHAT``, where they are set."""
    if context is None:
        return {}
    values = {name: str(getattr(context, name)) for name in stated_fields_of(CHAT)}
    return {name: value for name, value in values.items() if value}
