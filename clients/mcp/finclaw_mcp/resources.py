"""A resource for each memory, and the prompt that recalls what bears on a topic."""

from __future__ import annotations

from typing import Annotated, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import UserMessage
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import Resource
from pydantic import Field

from finclaw_mcp.api import ApiError, FinClawApi
from finclaw_mcp.tool_context import ToolContext, api_of, memory_path

SCHEME: Final = "finclaw://memories/"
MARKDOWN: Final = "text/markdown"
MOST_LISTED: Final = 100
TITLE_CHARS: Final = 80
NOT_FOUND: Final = 404


async def list_memories(api: FinClawApi) -> list[Resource]:
    """The latest memories, each as a resource; none where the user does not allow to learn."""
    page = await api.get("memories", page_size=MOST_LISTED)
    return [
        Resource(
            uri=f"{SCHEME}{row['memory_id']}", name=row["memory_id"], title=_title(row["memory"]), mime_type=MARKDOWN
        )
        for row in page["results"]
    ]


async def read_memory(memory_id: str, ctx: ToolContext) -> str:
    """A memory in words, with since when it has been true and how sure it is."""
    try:
        row = await api_of(ctx).get(memory_path(memory_id))
    except ApiError as error:
        raise (ResourceNotFoundError if error.status == NOT_FOUND else ResourceError)(str(error)) from error
    facts = [row["memory_type"], row["state"], f"confidence {row['confidence']:.2f}", f"since {row['valid_at']}"]
    return f"{row['memory']}\n\n{' · '.join(facts)}\n"


async def recall(
    topic: Annotated[str, Field(description="What the conversation is about.")], ctx: ToolContext
) -> list[UserMessage]:
    """What FinClaw knows of the user that bears on a topic, for the start of a conversation."""
    context = await api_of(ctx).send("POST", "context", query=topic)
    known = context["text"] or "Nothing that is remembered of me bears on it."
    return [UserMessage(f"What is remembered of me about “{topic}”:\n\n{known}\n\nUse it where it helps.")]


def register(server: MCPServer[FinClawApi]) -> None:
    """Add the resource of a memory, and the prompt."""
    server.resource(f"{SCHEME}{{memory_id}}", title="A memory", mime_type=MARKDOWN)(read_memory)
    server.prompt(title="Recall what bears on a topic")(recall)


def _title(memory: str) -> str:
    return memory if len(memory) <= TITLE_CHARS else f"{memory[: TITLE_CHARS - 1]}…"
