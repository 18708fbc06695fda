"""The addresses that programs learn of this installation: who issues tokens, and what they are for."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest

PROTECTED_RESOURCE: Final = "/.well-known/oauth-protected-resource"


def issuer_of(request: HttpRequest) -> str:
    """The address of the authorization server: ``PUBLIC_URL``, or where the request was sent."""
    return settings.PUBLIC_URL.rstrip("/") or request.build_absolute_uri("/").rstrip("/")


def api_resource(request: HttpRequest) -> str:
    """What tokens for the API are issued for."""
    return f"{issuer_of(request)}/api"


def mcp_resource() -> str:
    """What tokens for the MCP server are issued for: its address as ``finclaw_mcp.configuration`` has it."""
    return f"{settings.PUBLIC_URL.rstrip('/') or f'http://127.0.0.1:{settings.MCP_PORT}'}/mcp"


def known_resources(request: HttpRequest) -> tuple[str, ...]:
    """All that tokens are issued for. The API takes both: the MCP server asks it with the token it was sent."""
    return mcp_resource(), api_resource(request)


def challenge_at(request: HttpRequest) -> str:
    """What ``WWW-Authenticate`` says beside 401: where a program learns how to connect."""
    return f'Bearer resource_metadata="{issuer_of(request)}{PROTECTED_RESOURCE}/api"'
