"""Gives the URLs that programs are told: the issuer of tokens, and the resources that tokens are valid for."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest

PROTECTED_RESOURCE: Final = "/.well-known/oauth-protected-resource"


def issuer_of(request: HttpRequest) -> str:
    """The address of the authorization server: ``PUBLIC_URL``, or where the request was sent."""
    return settings.PUBLIC_URL.rstrip("/") or request.build_absolute_uri("/").rstrip("/")


def api_resource(request: HttpRequest) -> str:
    """The resource identifier (RFC 8707) of tokens for the API."""
    return f"{issuer_of(request)}/api"


def mcp_resource() -> str:
    """The resource identifier of tokens for the MCP server: its address as ``finclaw_mcp.configuration`` has it."""
    return f"{settings.PUBLIC_URL.rstrip('/') or f'http://127.0.0.1:{settings.MCP_PORT}'}/mcp"


def known_resources(request: HttpRequest) -> tuple[str, ...]:
    """All resource identifiers. The API accepts both, because the MCP server calls it with the token it received."""
    return mcp_resource(), api_resource(request)


def challenge_at(request: HttpRequest, *, missing_scope: str = "") -> str:
    """The ``WWW-Authenticate`` header of a refusal: it names the document that tells programs how to connect and, of a
    403 answer, the scope that the token lacks (RFC 6750, 3.1).
    """
    lacks = f'error="insufficient_scope", scope="{missing_scope}", ' if missing_scope else ""
    return f'Bearer {lacks}resource_metadata="{issuer_of(request)}{PROTECTED_RESOURCE}/api"'
