"""The three look-up tools of a model, limited to what the conversation's readers may see: events, portraits, search in
portraits.

In private they reach the user's own rows, in a group the group's; any other target finds nothing. Arguments come from
the model: they are validated, refused with a sentence to the model, and never logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.conf import settings
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from consent.permit import Permit
from finclaw.brain.measured_runs import REFUSAL
from finclaw.brain.recall.ended_statements import mark_ended
from finclaw.brain.recall.portraits import portrait_candidates
from finclaw.brain.recall.search import hit_candidate, resized
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.question_slots import requested_slots
from foundation.exceptions import FinClawError
from foundation.llm.types import Tool
from foundation.telemetry.degradations import note_degraded
from memory.importing.validation import describe_errors
from memory.models import Session
from memory.portraits.services import portrait_of, search_portraits
from memory.portraits.types import EntityType
from memory.retrieval.event_search import MAX_TOP_K, search_events
from memory.retrieval.services import EmbeddedQuery
from memory.types import SearchQuery, SearchResult

MAX_QUERY_CHARS: Final = 1_000
UNKNOWN_TOOL: Final = "unknown_tool"
ME: Final = "me"
HERE: Final = "here"
_Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS, description="What to look for, in words.")]
_TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K)]
_Person = UUID | Literal["me"]
_Group = UUID | Literal["here"]


class ToolRefused(FinClawError):
    """A tool call that cannot be run; the model is shown ``message``."""

    code = "tool_refused"
    default_message = "The call cannot be run."


class _UntitledSchema(GenerateJsonSchema):
    """JSON schema without titles: the model reads every word of it in every turn."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class ToolArguments(BaseModel):
    """Base of the arguments that a model writes; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")


class SearchEvents(ToolArguments):
    """Search what happened: dated sentences on past conversations. For what you were given too little to answer."""

    query: _Query
    target_user_id: _Person | None = Field(None, description='Whose: "me" is the person you answer.')
    target_group_id: _Group | None = Field(None, description='Of which group: "here" is this conversation\'s.')
    top_k: _TopK = Field(default_factory=lambda: int(settings.COGNITIVE_TOOL_TOP_K))
    time_from: AwareDatetime | None = Field(None, description="Not before: RFC 3339 with an offset.")
    time_to: AwareDatetime | None = Field(None, description="Not after: RFC 3339 with an offset.")


class GetProfile(ToolArguments):
    """Read a portrait: what is known of a person, or of a group, over time."""

    entity_type: EntityType
    entity_id: UUID | Literal["me", "here"] = Field(description='"me", "here", or an id.')


class SearchProfiles(GetProfile):
    """Search within portraits for what bears on a question."""

    query: _Query
    top_k: _TopK = 8


AnyToolArguments = SearchEvents | GetProfile | SearchProfiles
_BY_NAME: Final[Mapping[str, type[AnyToolArguments]]] = {
    "cognitive_search_events": SearchEvents,
    "cognitive_get_profile": GetProfile,
    "cognitive_search_profiles": SearchProfiles,
}


def tool_of(name: str, kind: type[ToolArguments]) -> Tool:
    """The tool whose arguments are ``kind``, described by its docstring and fields."""
    schema = kind.model_json_schema(schema_generator=_UntitledSchema)
    return Tool(name, schema.pop("description"), schema)


TOOLS: Final = tuple(tool_of(name, kind) for name, kind in _BY_NAME.items())


@dataclass(frozen=True)
class ToolResult:
    """The candidates a call found, best first, and the search behind them where there was one."""

    candidates: tuple[PromptCandidate, ...] = ()
    found: SearchResult | None = None


def parse_arguments(name: str, arguments: str) -> AnyToolArguments:
    """The validated arguments of a call. Raises ``ToolRefused`` with what is wrong with them."""
    kind = _BY_NAME.get(name)
    if kind is None:
        raise ToolRefused(f"There is no such tool. There are: {', '.join(_BY_NAME)}.", {REFUSAL: UNKNOWN_TOOL})
    try:
        return kind.model_validate_json(arguments or "{}")
    except ValidationError as error:
        raise ToolRefused(describe_errors(error), {REFUSAL: "invalid_arguments"}) from None


def query_of(arguments: AnyToolArguments) -> str:
    """The text to embed before ``run_tool``, "" for none."""
    return arguments.query if isinstance(arguments, SearchEvents | SearchProfiles) else ""


def run_tool(
    permit: Permit, session: Session, speaker: str, arguments: AnyToolArguments, question: EmbeddedQuery | None
) -> ToolResult:
    """Run a call acting for the permit's user; finds nothing where the target is out of reach.

    ``question`` is ``query_of(arguments)``, embedded outside any transaction. Raises ``MemoryUnavailable``, and
    ``ToolRefused`` where events and portraits are switched off.
    """
    if not settings.COGNITIVE_ENABLED:
        raise ToolRefused("Events and portraits are switched off here.", {REFUSAL: "switched_off"})
    if isinstance(arguments, SearchEvents):
        assert question is not None
        return _find_events(permit, session, speaker, arguments, question)
    if not _is_in_reach(permit, session, arguments):
        return ToolResult()
    if isinstance(arguments, SearchProfiles):
        assert question is not None
        return _find_portraits(permit, session, arguments, question)
    view = portrait_of(permit, arguments.entity_type, _entity_id(permit, session))
    return ToolResult(portrait_candidates(view) if view else ())


def _find_events(
    permit: Permit, session: Session, speaker: str, arguments: SearchEvents, question: EmbeddedQuery
) -> ToolResult:
    if arguments.target_user_id not in (None, ME, permit.user_id) or not _reaches_group(
        session, arguments.target_group_id
    ):
        return ToolResult()
    group = session.group_id or (arguments.target_group_id if isinstance(arguments.target_group_id, UUID) else None)
    query = SearchQuery(
        arguments.query,
        ("event",),
        group_id=group,
        top_k=arguments.top_k,
        time_from=arguments.time_from,
        time_to=arguments.time_to,
    )
    # Outside a group its events are searched for the user's own words alone.
    own_only = group is not None and (session.group_id is None or arguments.target_user_id is not None)
    searched = search_events(permit, query, question, own_only=own_only)
    note_degraded(searched.found.degraded)
    found = [hit_candidate(hit, speaker) for _, hit in searched.events]
    about_past = requested_slots(arguments.query).about_past
    current = mark_ended(permit, found, speaker, about_past=about_past)
    left = (resized(event) for event in current if about_past or not event.is_past)
    return ToolResult(tuple(left), searched.found)


def _find_portraits(permit: Permit, session: Session, arguments: SearchProfiles, question: EmbeddedQuery) -> ToolResult:
    found = search_portraits(permit, question, arguments.entity_type, _entity_id(permit, session), arguments.top_k)
    note_degraded(found.degraded)
    return ToolResult(tuple(portrait for hit in found.hits for portrait in portrait_candidates(hit.portrait)))


def _reaches_group(session: Session, target: _Group | None) -> bool:
    """Whether the target group is in reach: in a group only itself; in private any group, for the user's own words
    there.
    """
    if session.group_id is None:
        return target != HERE
    return target in (None, HERE, session.group_id)


def _is_in_reach(permit: Permit, session: Session, arguments: GetProfile) -> bool:
    """Whether the portrait is in reach: in private the user's own, in a group the group's."""
    if session.group_id is None:
        return arguments.entity_type == "user" and arguments.entity_id in (ME, permit.user_id)
    return arguments.entity_type == "group" and arguments.entity_id in (HERE, session.group_id)


def _entity_id(permit: Permit, session: Session) -> UUID:
    return session.group_id or permit.user_id
