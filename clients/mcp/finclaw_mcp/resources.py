"""Serves each memory as an MCP resource, and a prompt that recalls what is known about a topic."""

from __future__ import annotations

from typing import Annotated, Final

from finclaw_client import ClientError, NotFoundError
from mcp.server import MCPServer
from mcp.server.mcpserver import UserMessage
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, Resource
from pydantic import Field

from finclaw_mcp.api import FinClawApi, refusal_text
from finclaw_mcp.tool_context import ToolContext, api_of

SCHEME: Final = "finclaw://memories/"
MARKDOWN: Final = "text/markdown"
MOST_LISTED: Final = 100
TITLE_CHARS: Final = 80


async def list_memories(api: FinClawApi) -> list[Resource]:
    """The latest memories, each as a resource; none where the user has not consented to learning."""
    rows, _ = await api.memories.list(page_size=MOST_LISTED).page()
    return [
        Resource(
            uri=f"{SCHEME}{row['memory_id']}", name=row["memory_id"], title=_title(row["memory"]), mime_type=MARKDOWN
        )
        for row in rows
    ]


async def read_memory(memory_id: str, ctx: ToolContext) -> str:
    """A memory in words, with since when it has been true and how sure it is."""
    try:
        row = await api_of(ctx).memories.get(memory_id)
    except ClientError as error:
        kind = ResourceNotFoundError if isinstance(error, NotFoundError) else ResourceError
        raise kind(refusal_text(error)) from error
    facts = [
        row["memory_type"],
        row["state"],
        f"confidence {row['confidence']:.2f}",
        f"since {row['valid_at']}",
    ]
    return f"{row['memory']}\n\n{' · '.join(facts)}\n"


async def recall(
    topic: Annotated[str, Field(description="What the conversation is about.")], ctx: ToolContext
) -> list[UserMessage]:
    """What FinClaw knows of the user that bears on a topic, for the start of a conversation."""
    try:
        context = await api_of(ctx).context(query=topic)
    except ClientError as error:
        raise MCPError(INTERNAL_ERROR, refusal_text(error)) from error
    known = context["text"] or "Nothing that is remembered of me bears on it."
    return [UserMessage(f"What is remembered of me about “{topic}”:\n\n{known}\n\nUse it where it helps.")]


def register(server: MCPServer[FinClawApi]) -> None:
    """Add the resource of a memory, and the prompt."""
    server.resource(f"{SCHEME}{{memory_id}}", title="A memory", mime_type=MARKDOWN)(read_memory)
    server.prompt(title="Recall what bears on a topic")(recall)


def _title(memory: str) -> str:
    return memory if len(memory) <= TITLE_CHARS else f"{memory[: TITLE_CHARS - 1]}…"
