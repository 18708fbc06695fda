"""Serves the documents by which a program finds out how to connect (RFC 8414 and RFC 9728)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.oauth.endpoints import ProgramEndpoint
from finclaw.oauth.program_metadata import GRANTS
from finclaw.program_addresses import api_resource, issuer_of, mcp_resource
from foundation.accounts.scopes import ALL_SCOPES


class DiscoveryView(ProgramEndpoint):
    """A document that pages of any origin may read (CORS)."""

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Access-Control-Allow-Origin"] = "*"
        return answer


class AuthorizationServerView(DiscoveryView):
    def get(self, request: Request) -> Response:
        """Where programs register, ask their user, and change codes for tokens."""
        issuer = issuer_of(request._request)
        return Response(
            {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}{reverse('oauth:authorize')}",
                "token_endpoint": f"{issuer}{reverse('oauth:token')}",
                "revocation_endpoint": f"{issuer}{reverse('oauth:revoke')}",
                "registration_endpoint": f"{issuer}{reverse('oauth:register')}",
                "client_id_metadata_document_supported": settings.OAUTH2_PROVIDER["CIMD_ENABLED"],
                "response_types_supported": ["code"],
                "response_modes_supported": ["query"],
                "grant_types_supported": list(GRANTS),
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "revocation_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": True,
                "scopes_supported": list(ALL_SCOPES),
                "ui_locales_supported": [code for code, _name in settings.LANGUAGES],
            }
        )


class ProtectedResourceView(DiscoveryView):
    def get(self, request: Request, resource: str = "api") -> Response:
        """Who issues tokens for the API, or for the MCP server, and what they can allow."""
        resources = {"api": api_resource(request._request), "mcp": mcp_resource()}
        if resource not in resources:
            raise Http404
        return Response(
            {
                "resource": resources[resource],
                "authorization_servers": [issuer_of(request._request)],
                "scopes_supported": list(ALL_SCOPES),
                "bearer_methods_supported": ["header"],
                "resource_name": "FinClaw",
            }
        )
