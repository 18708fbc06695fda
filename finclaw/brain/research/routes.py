"""The research routes as a literal table: which slices of memory each is given, and which advisors it asks.

``docs/routes.md`` is written from this table. A route is given the slices it names and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from finclaw.brain.context_slices import (
    ACTIVE_THREADS,
    FOCUS,
    LANGUAGE,
    LIMITS,
    POSITIONS,
    RESEARCH_DEPTH,
    RESEARCH_STYLE,
    RISK_TONE,
    STANCE_DRIFT,
    SliceName,
    stated_fields_of,
)
from finclaw.brain.research.parts import PartName
from memory.models import ResearchTask, Route
from personas.advisor_order import Advisor

SliceCondition = Literal["where there is one", "the prompt speaks of my threads", "the task belongs to a thread"]
ResultKind = ResearchTask.ResultKind
PersonalPart = Literal["thesis", "note"]


@dataclass(frozen=True)
class RoutePolicy:
    """What a route is given, whom it asks and what it makes.

    ``parts`` are those it always needs. ``optional`` slices are given under their condition. ``personal_part`` is the
    one part whose prompt slices enter. Those in ``note_slices`` never enter a thesis, which stays, but a note beside
    it, which is kept for 24 hours. ``uses_user_statements`` marks routes whose result may include the user's earlier
    statements, ``at_stake`` those that may touch permissions or credentials, where the pre-execution advisor speaks
    first; ``needs_thread`` those that need a thread.
    """

    route: Route
    required: tuple[SliceName, ...]
    advisors: tuple[Advisor, ...]
    result_kind: ResultKind
    parts: tuple[PartName, ...]
    optional: Mapping[SliceName, SliceCondition] = field(default_factory=dict)
    personal_part: PersonalPart | None = None
    note_slices: tuple[SliceName, ...] = ()
    uses_user_statements: bool = False
    needs_thread: bool = False
    at_stake: bool = False


_WHERE_STATED: Final = "where there is one"
_FOUR: Final[tuple[Advisor, ...]] = ("asset_research", "market_macro", "risk", "counter_thesis")
_FOUR_PARTS: Final[tuple[PartName, ...]] = ("evidence", "market", "invalidators", "counter_thesis")
ROUTES: Final = MappingProxyType[str, RoutePolicy](
    {
        Route.SNAPSHOT.value: RoutePolicy(
            Route.SNAPSHOT,
            required=(LANGUAGE, RESEARCH_DEPTH, RISK_TONE),
            optional={ACTIVE_THREADS: "the prompt speaks of my threads"},
            advisors=_FOUR,
            result_kind=ResultKind.SNAPSHOT,
            parts=_FOUR_PARTS,
            uses_user_statements=True,
            personal_part="thesis",
        ),
        Route.THREAD_REFRESH.value: RoutePolicy(
            Route.THREAD_REFRESH,
            required=(LANGUAGE, RESEARCH_DEPTH, RISK_TONE, FOCUS, RESEARCH_STYLE),
            optional=dict.fromkeys((POSITIONS, LIMITS, STANCE_DRIFT), _WHERE_STATED),
            advisors=_FOUR,
            result_kind=ResultKind.REFRESH,
            parts=_FOUR_PARTS,
            uses_user_statements=True,
            personal_part="thesis",
            note_slices=(POSITIONS, LIMITS),
            needs_thread=True,
        ),
        Route.RISK_CHALLENGE.value: RoutePolicy(
            Route.RISK_CHALLENGE,
            required=(LANGUAGE, RISK_TONE),
            optional={RESEARCH_STYLE: "the task belongs to a thread"},
            advisors=("market_macro", "risk", "counter_thesis"),
            result_kind=ResultKind.REPORT,
            parts=("market", "risks", "invalidators", "counter_thesis"),
            personal_part="note",
        ),
        Route.PRE_EXECUTION.value: RoutePolicy(
            Route.PRE_EXECUTION,
            required=(LANGUAGE, RESEARCH_DEPTH, RISK_TONE),
            optional=dict.fromkeys((POSITIONS, LIMITS), _WHERE_STATED),
            advisors=(*_FOUR, "pre_execution"),
            result_kind=ResultKind.CHECKPOINT,
            parts=("conditions", "risks", *_FOUR_PARTS),
            uses_user_statements=True,
            personal_part="note",
            at_stake=True,
        ),
        Route.EVIDENCE_AUDIT.value: RoutePolicy(
            Route.EVIDENCE_AUDIT,
            required=(LANGUAGE,),
            advisors=("asset_research", "counter_thesis"),
            result_kind=ResultKind.REPORT,
            parts=("evidence", "counter_thesis"),
        ),
        Route.NARRATIVE_MAPPER.value: RoutePolicy(
            Route.NARRATIVE_MAPPER,
            required=(LANGUAGE, RESEARCH_DEPTH),
            optional={ACTIVE_THREADS: _WHERE_STATED},
            advisors=("asset_research", "market_macro", "counter_thesis"),
            result_kind=ResultKind.REPORT,
            parts=("evidence", "market", "counter_thesis"),
            uses_user_statements=True,
            personal_part="note",
        ),
        Route.EVENT_IMPACT_READER.value: RoutePolicy(
            Route.EVENT_IMPACT_READER,
            required=(LANGUAGE, RESEARCH_DEPTH),
            optional={ACTIVE_THREADS: _WHERE_STATED},
            advisors=("asset_research", "market_macro", "risk"),
            result_kind=ResultKind.REPORT,
            parts=("evidence", "market", "risks"),
            uses_user_statements=True,
            personal_part="note",
        ),
    }
)


def fields_of_route(route: str) -> tuple[str, ...]:
    """The stated fields that a route may ever be given."""
    policy = ROUTES[route]
    return stated_fields_of((*policy.required, *policy.optional))
