"""Gives every tool, resource and prompt the API client."""

from __future__ import annotations

from typing import Any, TypeAlias

from mcp.server.mcpserver import Context

from finclaw_mcp.api import FinClawApi

ToolContext: TypeAlias = Context[FinClawApi, Any]


def api_of(ctx: ToolContext) -> FinClawApi:
    """The API that this server speaks to."""
    return ctx.request_context.lifespan_context
