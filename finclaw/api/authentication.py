"""Authentication: an access token, or the web session with its CSRF token."""

from __future__ import annotations

from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from foundation.accounts.exceptions import TokenInvalid
from foundation.accounts.models import ApiToken, User
from foundation.accounts.services import authenticate_token


class TokenAuthentication(authentication.BaseAuthentication):
    """``Authorization: Token <token>``; a bad one has its own error code."""

    keyword = "Token"

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = authentication.get_authorization_header(request).split()
        if not header or header[0].lower() != self.keyword.lower().encode():
            return None
        if len(header) != 2 or not header[1].isascii():
            raise TokenInvalid()
        token = authenticate_token(header[1].decode("ascii"))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return self.keyword


class CsrfFailed(exceptions.PermissionDenied):
    default_code = "csrf_failed"


class SessionAuthentication(authentication.SessionAuthentication):
    """The signed-in browser; a missing CSRF token has its own error code."""

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied:
            raise CsrfFailed(_("The CSRF token is missing or wrong. Reload the page and try again.")) from None
