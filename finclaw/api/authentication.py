"""Authentication: an access token, or the web session with its CSRF token."""

from __future__ import annotations

from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from finclaw.api.program_access import require_open_to_kept_keys, require_scope
from finclaw.api.service_access import END_USER_HEADER, end_user_of
from finclaw.program_addresses import challenge_at, known_resources
from foundation.accounts.exceptions import TokenInvalid
from foundation.accounts.models import ApiToken, ServiceToken, User
from foundation.accounts.program_tokens import is_program_token
from foundation.accounts.programs import ProgramToken, authenticate_program
from foundation.accounts.service_tokens import authenticate_service_token, is_service_token
from foundation.accounts.services import authenticate_token
from foundation.database.acting_program import ActingProgram, act_through
from foundation.exceptions import NotFound
from memory.kinds import with_retellings


class TokenAuthentication(authentication.BaseAuthentication):
    """``Authorization: Bearer <token>``, or ``Token <token>``; a bad one has its own error code."""

    keywords = frozenset({b"bearer", b"token"})

    def authenticate(self, request: Request) -> tuple[User, ApiToken | ProgramToken | ServiceToken] | None:
        header = authentication.get_authorization_header(request).split()
        if not header or header[0].lower() not in self.keywords:
            return None
        if len(header) != 2 or not header[1].isascii():
            raise TokenInvalid()
        plain = header[1].decode("ascii")
        if is_service_token(plain):
            service = authenticate_service_token(plain)
            return end_user_of(request, service), service
        token = self._token_of_person(request, plain)
        _require_own_name(request, token.user)
        return token.user, token

    def _token_of_person(self, request: Request, plain: str) -> ApiToken | ProgramToken:
        token: ApiToken | ProgramToken
        if is_program_token(plain):
            token = authenticate_program(plain, known_resources(request._request))
            require_scope(request, token)
        else:
            token = authenticate_token(plain)
            if token.withheld_kinds:
                require_open_to_kept_keys(request)
        is_confined = isinstance(token, ProgramToken) or bool(token.withheld_kinds)
        act_through(ActingProgram(token.id, with_retellings(token.withheld_kinds), is_confined))
        return token

    def authenticate_header(self, request: Request) -> str:
        return challenge_at(request._request)


class ServiceTokenAuthentication(authentication.BaseAuthentication):
    """A service token that acts for its organisation, and for nobody in particular."""

    def authenticate(self, request: Request) -> tuple[ServiceToken, ServiceToken] | None:
        header = authentication.get_authorization_header(request).split()
        if len(header) != 2 or not is_service_token(header[1].decode("latin-1")):
            return None
        token = authenticate_service_token(header[1].decode("latin-1"))
        return token, token

    def authenticate_header(self, request: Request) -> str:
        return challenge_at(request._request)


def _require_own_name(request: Request, user: User) -> None:
    """A person's own token acts for that person alone. Raises ``NotFound`` where the header names another."""
    if request.headers.get(END_USER_HEADER, "me") not in {"me", str(user.pk), user.username}:
        raise NotFound()


class CsrfFailed(exceptions.PermissionDenied):
    default_code = "csrf_failed"


class SessionAuthentication(authentication.SessionAuthentication):
    """The signed-in browser; a missing CSRF token has its own error code."""

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied:
            raise CsrfFailed(_("The CSRF token is missing or wrong. Reload the page and try again.")) from None
