"""The slices of the stated context as a literal table: what each holds, where it is stated, and its default."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from memory.models import UserContext

SliceName = Literal["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"]
ContextScope = Literal["task", "thread", "profile"]


@dataclass(frozen=True)
class SliceDefinition:
    """A slice of memory: its title, the stated fields it holds, and the scopes to look for them in, nearest first.

    It takes at most ``most_tokens`` of a prompt, by estimate. ``default`` stands where nothing was stated; without one
    the slice is left out. Slices without fields are made of rows.
    """

    title: str
    most_tokens: int
    fields: tuple[str, ...] = ()
    scopes: tuple[ContextScope, ...] = ()
    default: str = ""


_ANY: Final[tuple[ContextScope, ...]] = ("task", "thread", "profile")
SLICES: Final = MappingProxyType[SliceName, SliceDefinition](
    {
        "S1": SliceDefinition("language", 20, ("language_preference",), _ANY, UserContext.Language.ENGLISH.value),
        "S2": SliceDefinition(
            "research depth", 20, ("research_depth",), _ANY, UserContext.ResearchDepth.STANDARD.value
        ),
        "S3": SliceDefinition(
            "how to speak of risk", 20, ("risk_prompt_preference",), _ANY, UserContext.RiskPrompt.BALANCED.value
        ),
        "S4": SliceDefinition("what the person cares about", 100, ("user_focus_reason",), _ANY),
        "S5": SliceDefinition("research style", 200, ("research_style",), _ANY),
        "S6": SliceDefinition("the last three active threads", 300),
        "S7": SliceDefinition("positions", 200, ("user_stated_position_context",), _ANY),
        "S8": SliceDefinition("constraints and time horizon", 200, ("constraints", "time_horizon"), _ANY),
        "S9": SliceDefinition("how often the stance drifted lately", 50),
    }
)
CHAT: Final[tuple[SliceName, ...]] = ("S1", "S2", "S3")
"""The slices that plain conversation is given."""


def stated_fields_of(slices: Iterable[SliceName]) -> tuple[str, ...]:
    """The stated fields that these slices hold."""
    return tuple(name for loaded in slices for name in SLICES[loaded].fields)


def stated_fields(context: UserContext | None) -> dict[str, str]:
    """The stated context fields that plain chat loads (slices S1 to S3), where they are set."""
    if context is None:
        return {}
    values = {name: str(getattr(context, name)) for name in stated_fields_of(CHAT)}
    return {name: value for name, value in values.items() if value}
