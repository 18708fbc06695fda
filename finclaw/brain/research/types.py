"""What the research routes take and answer: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from finclaw.brain.research.objective import Language
from finclaw.brain.research.routes import SLICES, ContextScope, SliceName
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from memory.models import Route, UserContext


class SliceRequest(Protocol):
    """A task as far as choosing its slices goes: one that is stored, or a draft of one."""

    @property
    def route(self) -> str: ...

    @property
    def prompt(self) -> str: ...

    @property
    def overrides(self) -> Mapping[str, str]: ...

    @property
    def thread_id(self) -> UUID | None: ...

    @property
    def as_of(self) -> datetime | None: ...


@dataclass(frozen=True)
class SliceText:
    """A slice as it stands in a prompt: its name or names with what was stated, a line each, not escaped yet.

    ``scope`` says where it was stated; "default" is nobody's word, "rows" are those that a slice without fields is made
    of.
    """

    slice: SliceName
    values: Mapping[str, SafeText]
    scope: ContextScope | Literal["default", "rows"]

    @property
    def text(self) -> str:
        """``name: value``, a line each."""
        return "\n".join(f"{name}: {value}" for name, value in self.values.items())

    @property
    def tokens(self) -> int:
        """What it takes of a prompt, by estimate."""
        return estimate_tokens(self.text)


@dataclass(frozen=True)
class LoadedSlices:
    """What a task is given of memory (M-5), in the order of the slices' names.

    ``skipped_missing`` are those of its route that were not stated and have no default, or not in a form that may stand
    in a prompt. ``blocked_by_consent`` are those whose stated value was not even looked for, because the consent for
    its scope does not hold; where they have a default, that is loaded nevertheless (seed A §6.5, §8.5). ``is_cold``
    says that nothing of how to answer was stated, whatever of it the route is given (seed A §8.3).
    """

    slices: tuple[SliceText, ...]
    skipped_missing: tuple[SliceName, ...] = ()
    blocked_by_consent: tuple[SliceName, ...] = ()
    is_cold: bool = False

    @property
    def loaded(self) -> tuple[SliceName, ...]:
        """The slices that stand in the prompt."""
        return tuple(loaded.slice for loaded in self.slices)

    @property
    def tokens(self) -> int:
        """What all of them take of a prompt, by estimate."""
        return sum(loaded.tokens for loaded in self.slices)

    @property
    def values(self) -> dict[str, SafeText]:
        """All their lines by name, as ``finclaw.brain.prompt.context_element`` takes them."""
        return {name: value for loaded in self.slices for name, value in loaded.values.items()}

    @property
    def language(self) -> Language:
        """In which language the result is written (S1)."""
        return "zh" if self._choice("S1") == UserContext.Language.CHINESE else "en"

    @property
    def depth(self) -> str:
        """One of ``UserContext.ResearchDepth`` (S2); standard for a route that is not given it."""
        return self._choice("S2")

    @property
    def risk_prompt_preference(self) -> str:
        """One of ``UserContext.RiskPrompt`` (S3); balanced for a route that is not given it."""
        return self._choice("S3")

    def as_json(self) -> dict[str, Any]:
        """As the task keeps it and the API tells it (seed A §6.6)."""
        return {
            "slices_loaded": list(self.loaded),
            "slices_skipped_missing": list(self.skipped_missing),
            "slices_blocked_by_consent": list(self.blocked_by_consent),
            "total_memory_tokens_estimated": self.tokens,
        }

    def _choice(self, name: SliceName) -> str:
        definition = SLICES[name]
        return self.values.get(definition.fields[0], definition.default)


RecommendationReason = Literal["close to a thread", "used lately", "usual"]


@dataclass(frozen=True)
class RecommendedRoute:
    """A route that somebody might take next, why it stands where it does, and a question it would answer."""

    skill: Route
    reason: RecommendationReason
    example: str
