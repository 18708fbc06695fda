"""Shows OAuth's consent page, on which a user decides whether a program may act in their name."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import Application
from oauth2_provider.oauth2_backends import get_oauthlib_core

from finclaw.connected_programs import connect
from finclaw.oauth.client_documents import read_document
from finclaw.oauth.redirects import host_of, origin_of
from finclaw.program_addresses import issuer_of, known_resources, mcp_resource
from finclaw.web.access import MemberView
from finclaw.web.program_scopes import SCOPE_SENTENCES
from finclaw.web.views.errors import error_page
from foundation.accounts.exceptions import InvalidCredentials

REFUSED: Final = 400
CHALLENGE_CHARS: Final = 43  # 256 bits in base64url, as S256 makes them
_BASE64URL: Final = frozenset(f"{ascii_letters}{digits}-_")
_NOT_KEPT: Final[dict[str, Any]] = {"nonce": "", "claims": {}}  # of OpenID, which is not served
_UNKNOWN_PROGRAM: Final = gettext_lazy(
    "The program that sent you here is not known, or asks to send you to an address that is not its own. Nothing was "
    "allowed. Close this page and connect the program again from its own settings."
)


class RequestRefused(Exception):
    """A request that is not granted: ``error`` may go back to the program, where it has an address."""

    def __init__(self, error: str, redirect_uri: str = "", state: str = "") -> None:
        self.error, self.redirect_uri, self.state = error, redirect_uri, state
        super().__init__(error)


@dataclass(frozen=True)
class AuthorizationRequest:
    """A program's authorization request whose parameters have been validated."""

    program: Application
    scopes: list[str]
    resource: str
    credentials: dict[str, Any]

    @property
    def redirect_uri(self) -> str:
        return str(self.credentials["redirect_uri"])

    @property
    def state(self) -> str:
        return str(self.credentials.get("state") or "")


class AuthorizePage(MemberView):
    """Shows which program asks for which scopes, and grants or refuses them as the user answers.

    The request's parameters are in the URL alone and are validated again on POST, so the form cannot change them.
    """

    needs_decision = False  # without a consent the program can read nothing

    def before_transaction(self) -> None:
        """Fetch the program's metadata document, where its ``client_id`` is the URL of one."""
        read_document(self.request.GET.get("client_id", ""))

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the consent page, or a page that says that the request is invalid."""
        try:
            asked = read_request(request)
        except RequestRefused as refusal:
            return self._show_refusal(refusal)
        context = {
            "program_name": asked.program.name,
            "redirect_host": host_of(asked.redirect_uri),
            "scopes": [SCOPE_SENTENCES[scope] for scope in asked.scopes],
            "has_consent": self.permit.has_decided,
        }
        response = render(request, "web/authorize.html", context)
        response._csp_update = {"form-action": [origin_of(asked.redirect_uri)]}  # type: ignore[attr-defined]
        return response

    def post(self, request: HttpRequest) -> HttpResponse:
        """Redirect the user back to the program with a code, or with the refusal."""
        try:
            asked = read_request(request)
        except RequestRefused as refusal:
            return self._show_refusal(refusal)
        if request.POST.get("answer") != "allow":
            denied = RequestRefused("access_denied", asked.redirect_uri, asked.state)
            return HttpResponseRedirect(self._refusal_address(denied))
        try:
            connect(self.user, asked.program, asked.scopes, asked.resource)
        except InvalidCredentials:  # the password was changed meanwhile, and the session ended
            return redirect_to_login(request.get_full_path())
        credentials = {**asked.credentials, "resource": [asked.resource]}
        uri, _headers, _body, _status = get_oauthlib_core().create_authorization_response(
            request, scopes=asked.scopes, credentials=credentials, allow=True
        )
        return HttpResponseRedirect(uri)

    def _show_refusal(self, refusal: RequestRefused) -> HttpResponse:
        """A page with the way back to the program. Nobody is sent unasked to an address that anybody may register."""
        if not refusal.redirect_uri:
            return error_page(self.request, REFUSED, str(_UNKNOWN_PROGRAM))
        context = {
            "error": refusal.error,
            "redirect_host": host_of(refusal.redirect_uri),
            "address": self._refusal_address(refusal),
        }
        return render(self.request, "web/authorize_refused.html", context, status=REFUSED)

    def _refusal_address(self, refusal: RequestRefused) -> str:
        """The program's address with the refusal."""
        said = {"error": refusal.error, "state": refusal.state, "iss": issuer_of(self.request)}
        query = urlencode({name: value for name, value in said.items() if value})
        return f"{refusal.redirect_uri}{'&' if '?' in refusal.redirect_uri else '?'}{query}"


def read_request(request: HttpRequest) -> AuthorizationRequest:
    """The authorization request in the URL's parameters. Raises ``RequestRefused``."""
    try:
        scopes, credentials = get_oauthlib_core().validate_authorization_request(request)
    except FatalClientError:
        raise RequestRefused("invalid_request") from None
    except OAuthToolkitError as error:
        # the library matches redirect_uri first, so here it is one of the program's own
        told = error.oauthlib_error
        raise RequestRefused(told.error, told.redirect_uri or "", told.state or "") from None
    redirect_uri, state = credentials["redirect_uri"], credentials.get("state") or ""
    if credentials.get("code_challenge_method") != "S256" or not _is_challenge(credentials["code_challenge"]):
        raise RequestRefused("invalid_request", redirect_uri, state)
    named = [resource.rstrip("/") for resource in request.GET.getlist("resource")] or [mcp_resource()]
    if len(named) > 1 or named[0] not in known_resources(request):
        raise RequestRefused("invalid_target", redirect_uri, state)
    program = Application.objects.get(client_id=credentials["client_id"])
    return AuthorizationRequest(program, list(scopes), named[0], {**credentials, **_NOT_KEPT})


def _is_challenge(given: str) -> bool:
    return len(given) == CHALLENGE_CHARS and _BASE64URL.issuperset(given)
