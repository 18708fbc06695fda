"""Asks the user before something is forgotten."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from mcp.server.mcpserver import Elicit, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from finclaw_mcp.tool_context import ToolContext, api_of


class Wish(BaseModel):
    """What the user answers."""

    forget: bool = Field(description="Forget it for good")


async def ask_before_forgetting(ctx: ToolContext, memory_id: str, confirm: bool = False) -> Wish | Elicit[Wish]:
    """Ask the user directly where the program supports it; elsewhere trust ``confirm``, which the assistant sets."""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return Wish(forget=confirm)
    memory = await api_of(ctx).memories.get(memory_id)
    return Elicit(f"Forget this for good, with all that came of it? “{memory['memory']}”", Wish)


def require(wish: Wish) -> None:
    """Raise ``ToolError`` unless the user wants to forget."""
    if not wish.forget:
        raise ToolError("Nothing was forgotten. Ask the user; once they agree, call again with confirm: true.")


ConfirmedByUser: TypeAlias = Annotated[Wish, Resolve(ask_before_forgetting)]
