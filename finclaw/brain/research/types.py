"""The values that the research routes take and return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, Protocol, Self, get_args
from uuid import UUID

from finclaw.brain.context_slices import LANGUAGE, RESEARCH_DEPTH, RISK_TONE, SLICES, ContextScope, SliceName
from foundation.language import Language
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from memory.models import Route, UserContext

SliceSource = ContextScope | Literal["default", "rows"]
"""Where a slice comes from: a scope it was stated in, nobody's statement ("default"), or rows."""
_NEAREST_FIRST: Final = get_args(ContextScope)


class SliceRequest(Protocol):
    """A task, stored or drafted, as far as choosing its slices needs it."""

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
    """A slice as it stands in a prompt: names with stated values, one line each, not escaped yet.

    ``scope`` says where it was stated, the nearest where its fields were stated in several; ``field_scopes`` names the
    scope of each field stated farther away.
    """

    slice: SliceName
    values: Mapping[str, SafeText]
    scope: SliceSource
    field_scopes: Mapping[str, ContextScope] = field(default_factory=dict)

    def scope_of(self, name: str) -> SliceSource:
        """Where one of its fields was stated."""
        return self.field_scopes.get(name, self.scope)

    @property
    def scopes(self) -> tuple[SliceSource, ...]:
        """Where its fields were stated, nearest first, each scope once."""
        found = {self.scope_of(name) for name in self.values}
        return tuple(scope for scope in _NEAREST_FIRST if scope in found) or (self.scope,)

    @property
    def text(self) -> str:
        """``name: value``, one line each."""
        return "\n".join(f"{name}: {value}" for name, value in self.values.items())

    @property
    def tokens(self) -> int:
        """Tokens in a prompt, by estimate."""
        return estimate_tokens(self.text)


@dataclass(frozen=True)
class LoadedSlices:
    """The slices of memory that a task is given, in the order of their names.

    ``skipped_missing`` were not stated and have no default, or cannot stand in a prompt. ``blocked_by_consent`` are
    left out too, but a scope that might have stated them was not looked at, because its consent is missing. A slice
    stands in one of the three alone. ``not_looked_up`` are loaded by default or from another scope, though a scope that
    might have stated them was not looked at either. ``is_cold`` says that no reply preference was stated, whatever the
    route is given.
    """

    slices: tuple[SliceText, ...]
    skipped_missing: tuple[SliceName, ...] = ()
    blocked_by_consent: tuple[SliceName, ...] = ()
    not_looked_up: tuple[SliceName, ...] = ()
    is_cold: bool = False

    @property
    def loaded_names(self) -> tuple[SliceName, ...]:
        """The names of the slices in the prompt."""
        return tuple(loaded.slice for loaded in self.slices)

    @property
    def tokens(self) -> int:
        """Tokens of all slices in a prompt, by estimate."""
        return sum(loaded.tokens for loaded in self.slices)

    @property
    def values(self) -> dict[str, SafeText]:
        """All values by name, as ``finclaw.brain.prompt.layers.context_element`` takes them."""
        return {name: value for loaded in self.slices for name, value in loaded.values.items()}

    @property
    def read_from(self) -> dict[SliceName, tuple[SliceSource, ...]]:
        """Where each slice in the prompt was read."""
        return {loaded.slice: loaded.scopes for loaded in self.slices}

    def without(self, names: Iterable[SliceName]) -> Self:
        """The slices but those named."""
        left_out = frozenset(names)
        return replace(self, slices=tuple(loaded for loaded in self.slices if loaded.slice not in left_out))

    @property
    def language(self) -> Language:
        """The language of results: the one the user states, else that of the question; English without either."""
        return "zh" if self._choice(LANGUAGE) == UserContext.Language.CHINESE else "en"

    @property
    def depth(self) -> str:
        """One of ``UserContext.ResearchDepth``; standard for a route that is not given it."""
        return self._choice(RESEARCH_DEPTH)

    @property
    def risk_prompt_preference(self) -> str:
        """One of ``UserContext.RiskPrompt``; balanced for a route that is not given it."""
        return self._choice(RISK_TONE)

    def as_json(self) -> dict[str, Any]:
        """What a trace and the log say of them; a task also stores where each was read."""
        return {
            "slices_loaded": list(self.loaded_names),
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
    """A route to try next, the reason for its rank, and an example question."""

    skill: Route
    reason: RecommendationReason
    example: str
