"""Serves the OAuth endpoints that programs call without a user: registration, tokens and revocation."""

from __future__ import annotations

import json
from typing import Any, Final

from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from oauth2_provider.models import Application
from oauth2_provider.oauth2_backends import get_oauthlib_core
from rest_framework.parsers import FormParser
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import PublicView
from finclaw.api.throttling import AnonymousThrottle
from finclaw.oauth.client_documents import refresh_client_document
from finclaw.oauth.program_metadata import GRANTS, MetadataRefused, read_metadata
from foundation.accounts.scopes import ALL_SCOPES

CREATED: Final = 201
REFUSED: Final = 400


class ProgramEndpoint(PublicView):
    """An endpoint that programs call without a user; ``client_id`` says which program calls."""

    authentication_classes = ()
    permission_classes = ()
    schema = None  # the protocol's contract, not ours


class RegistrationThrottle(AnonymousThrottle):
    scope = "registration"


class RegistrationView(ProgramEndpoint):
    """Registers a program (RFC 7591): a public one, which keeps no secret and proves itself by PKCE."""

    throttle_classes = (RegistrationThrottle,)

    def post(self, request: Request) -> Response:
        """Register any program that asks. Nobody verifies that it is what it claims to be."""
        try:
            metadata = read_metadata(request.data)
        except MetadataRefused as refusal:
            return Response({"error": refusal.error, "error_description": refusal.sentence}, REFUSED)
        program = Application.objects.create(
            name=metadata.name,
            redirect_uris=" ".join(metadata.redirect_uris),
            client_type=Application.CLIENT_PUBLIC,
            client_secret="",
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
            registration_source=Application.RegistrationSource.DCR,
        )
        return Response(_show_registration(program), CREATED)


def _show_registration(program: Application) -> dict[str, Any]:
    """The answer to a registration: the program's id, and the metadata that was accepted."""
    return {
        "client_id": program.client_id,
        "client_id_issued_at": int(program.created.timestamp()),
        "client_name": program.name,
        "redirect_uris": program.redirect_uris.split(),
        "grant_types": list(GRANTS),
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(ALL_SCOPES),
    }


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class FormEndpoint(ProgramEndpoint):
    """Hands a form to the library. Commits even when the library refuses, so that replayed tokens stay revoked."""

    parser_classes = (FormParser,)

    def post(self, request: Request) -> HttpResponseBase:
        sent = request._request
        # Outside the transaction: the document is fetched from the program's own server, which may be slow.
        refresh_client_document(sent.POST.get("client_id", ""))
        with transaction.atomic():
            _uri, headers, body, status = self.respond(sent)
        answer = HttpResponse(body or "", status=status, content_type="application/json")
        for name, value in headers.items():
            answer[name] = value
        return answer

    def respond(self, sent: Any) -> tuple[Any, dict[str, str], str, int]:
        """What the library answers: an address, headers, a body and a status."""
        raise NotImplementedError


class ProgramTokenView(FormEndpoint):
    """Changes a code, or a refresh token, for an access token and the next refresh token."""

    def respond(self, sent: Any) -> tuple[Any, dict[str, str], str, int]:
        uri, headers, body, status = get_oauthlib_core().create_token_response(sent)
        return uri, {"Pragma": "no-cache", **headers}, body, status


class RevocationView(FormEndpoint):
    """Ends a connection whose token a program gives back (RFC 7009)."""

    def respond(self, sent: Any) -> tuple[Any, dict[str, str], str, int]:
        uri, headers, body, status = get_oauthlib_core().create_revocation_response(sent)
        return uri, headers, body or json.dumps({}), status
