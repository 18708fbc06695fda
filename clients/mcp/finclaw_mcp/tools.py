"""Defines the MCP tools, each of which makes one or a few requests to the API."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias
from uuid import uuid4

from finclaw_client.models import ContextBlockInput, FiltersInput, MemoryListParametersQuery, MemoryType
from mcp.server import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from finclaw_mcp.answers import (
    Added,
    Ended,
    Events,
    Forgotten,
    Memories,
    Memory,
    MemoryHistory,
    Profile,
    Profiles,
    PromptContext,
)
from finclaw_mcp.api import FinClawApi
from finclaw_mcp.confirmation import ConfirmedByUser, require
from finclaw_mcp.tool_context import ToolContext, api_of

MemoryId: TypeAlias = Annotated[str, Field(description="The memory's id, a UUID.")]
Question: TypeAlias = Annotated[str, Field(description="In the user's words, in any language.")]
TopK: TypeAlias = Annotated[int, Field(ge=1, le=50, description="At most so many.")]
LEARNING_SECONDS = 5.0
"""How long ``add_memory`` waits for the job that learns: with a fast model its answer already has the result."""


async def add_memory(
    ctx: ToolContext,
    text: Annotated[str, Field(description="What the user said, in their own words.")],
    infer: Annotated[bool, Field(description="Learn from it what is worth it; off: keep it word for word.")] = True,
) -> Added:
    """Remember something that the user said. Refused where the user has not allowed to learn."""
    api = api_of(ctx)
    if not infer:
        return Added.model_validate(await api.memories.add_verbatim(text))
    learning = await api.memories.add(text)
    return Added.model_validate({**learning, **await api.jobs.wait(learning["job_id"], seconds=LEARNING_SECONDS)})


async def search_memories(
    ctx: ToolContext,
    query: Question,
    top_k: TopK = 8,
    memory_type: Annotated[MemoryType | None, Field(description="Only memories of this kind.")] = None,
) -> Memories:
    """Find what is remembered of the user that answers a question, best first; none where nothing is relevant."""
    filters: FiltersInput = {"memory_type": memory_type} if memory_type else {}
    return Memories.model_validate(await api_of(ctx).memories.search(query=query, top_k=top_k, filters=filters))


async def get_memories(
    ctx: ToolContext,
    containing: Annotated[str | None, Field(description="Only those that hold these words.")] = None,
    memory_type: Annotated[MemoryType | None, Field(description="Only memories of this kind.")] = None,
    page_size: Annotated[int, Field(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Field(description="From next_cursor of the page before.")] = None,
) -> Memories:
    """List what is remembered of the user, latest first, a page at a time."""
    query: MemoryListParametersQuery = {"page_size": page_size}
    if containing:
        query["q"] = containing
    if memory_type:
        query["memory_type"] = memory_type
    rows, following = await api_of(ctx).memories.list(**query).page(cursor)
    return Memories.model_validate({"results": rows, "next_cursor": following})


async def get_memory(ctx: ToolContext, memory_id: MemoryId) -> Memory:
    """Read one memory, whatever its state."""
    return Memory.model_validate(await api_of(ctx).memories.get(memory_id))


async def update_memory(
    ctx: ToolContext,
    memory_id: MemoryId,
    content: Annotated[str, Field(description="The statement as it should read.")],
    reason: Annotated[str, Field(description="Why, in a few words.")] = "",
) -> Memory:
    """Correct a memory: the new words supersede the old ones, which stay in its history."""
    return Memory.model_validate(await api_of(ctx).memories.update(memory_id, content=content, reason=reason))


async def delete_memory(
    ctx: ToolContext,
    memory_id: MemoryId,
    wish: ConfirmedByUser,
    sources: Annotated[
        Literal["redact", "keep"],
        Field(description="Whether the messages it came from lose the words too, or keep them."),
    ] = "redact",
    confirm: Annotated[
        bool, Field(description="Set it only once the user has agreed; ignored where the user can be asked directly.")
    ] = False,
) -> Forgotten:
    """Forget a memory and all that came of it, for good. The user is asked first."""
    require(wish)
    return Forgotten.model_validate(await api_of(ctx).memories.delete(memory_id, sources=sources))


async def memory_history(ctx: ToolContext, memory_id: MemoryId) -> MemoryHistory:
    """Tell how a memory came to read as it does: every version and every change."""
    return MemoryHistory.model_validate(await api_of(ctx).memories.history(memory_id))


async def get_context(
    ctx: ToolContext,
    query: Question,
    tokens: Annotated[int | None, Field(ge=100, le=32_000, description="The most that it may take.")] = None,
) -> PromptContext:
    """Get, in one call, all that bears on a question: memories, events, portrait and stated context, each with why."""
    asked: ContextBlockInput = {"query": query}
    if tokens is not None:
        asked["tokens"] = tokens
    return PromptContext.model_validate(await api_of(ctx).context(**asked))


async def search_events(
    ctx: ToolContext,
    query: Question,
    top_k: TopK = 12,
    time_from: Annotated[str | None, Field(description="RFC 3339, with offset.")] = None,
    time_to: Annotated[str | None, Field(description="RFC 3339, with offset.")] = None,
) -> Events:
    """Find what happened: events of the user's conversations, in words that need no context, best first."""
    found = await api_of(ctx).events.search(query=query, top_k=top_k, time_from=time_from, time_to=time_to)
    return Events.model_validate(found)


async def get_profile(
    ctx: ToolContext,
    entity_type: Literal["user", "group"] = "user",
    entity_id: Annotated[str, Field(description="me, or the id of one of the user's groups.")] = "me",
) -> Profile:
    """Read the portrait of the user, or of one of their groups."""
    return Profile.model_validate(await api_of(ctx).profiles.get(entity_type, entity_id))


async def search_profiles(ctx: ToolContext, query: Question, top_k: TopK = 8) -> Profiles:
    """Find the portraits that answer a question best: the user's own, and those of their groups."""
    return Profiles.model_validate(await api_of(ctx).profiles.search(query=query, top_k=top_k))


async def end(
    ctx: ToolContext,
    action_summary: Annotated[str, Field(description="What was done, in a sentence or two.")],
    new_info: Annotated[str, Field(description="What the user told that was new.")] = "",
    session_id: Annotated[str | None, Field(description="The conversation; a new one is begun without it.")] = None,
) -> Ended:
    """Close a turn: FinClaw's historian writes down what happened in it."""
    sessions = api_of(ctx).sessions
    if session_id is None:
        session_id = (await sessions.create())["session_id"]
    answer = await sessions.end(session_id, request_id=uuid4().hex, action_summary=action_summary, new_info=new_info)
    return Ended.model_validate({**answer, "session_id": session_id})


def _hints(*, reads: bool = False, destroys: bool = False, repeats: bool = False) -> ToolAnnotations:
    """MCP's four hints: whether a tool only reads, destroys, may be repeated; none reaches beyond FinClaw."""
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=destroys, idempotent_hint=reads or repeats, open_world_hint=False
    )


def register(server: MCPServer[FinClawApi]) -> None:
    """Add every tool to the server, each with its title and hints."""
    reading = _hints(reads=True)
    for tool, title, hints in (
        (add_memory, "Remember", _hints()),
        (search_memories, "Search memories", reading),
        (get_memories, "List memories", reading),
        (get_memory, "Read a memory", reading),
        (update_memory, "Correct a memory", _hints(repeats=True)),
        (delete_memory, "Forget a memory", _hints(destroys=True, repeats=True)),
        (memory_history, "History of a memory", reading),
        (get_context, "Context for a question", reading),
        (search_events, "Search events", reading),
        (get_profile, "Read a portrait", reading),
        (search_profiles, "Search portraits", reading),
        (end, "Close a turn", _hints()),
    ):
        server.add_tool(tool, title=title, annotations=hints, structured_output=True)
