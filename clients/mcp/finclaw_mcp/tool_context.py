"""What every tool, resource and prompt works with: the API, and the addresses of memories in it."""

from __future__ import annotations

from typing import Any, TypeAlias
from urllib.parse import quote

from mcp.server.mcpserver import Context

from finclaw_mcp.api import FinClawApi

ToolContext: TypeAlias = Context[FinClawApi, Any]


def api_of(ctx: ToolContext) -> FinClawApi:
    """The API that this server speaks to."""
    return ctx.request_context.lifespan_context


def memory_path(memory_id: str) -> str:
    """The address of a memory, whatever was given for its id."""
    return f"memories/{quote(memory_id, safe='')}"
