"""Exceptions of signing in and of missing rights, each with the error code that the API returns."""

from __future__ import annotations

from datetime import timedelta
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.exceptions import FinClawError


class InvalidCredentials(FinClawError):
    code = "invalid_credentials"
    default_message = "The user name and password do not belong together."


class TokenInvalid(FinClawError):
    code = "token_invalid"
    default_message = "This token is not known here."


class TokenExpired(FinClawError):
    code = "token_expired"
    default_message = "This token has expired. Make a new one in Settings or sign in again."


class TokenRevoked(FinClawError):
    code = "token_revoked"
    default_message = "This token was revoked."


class PermissionDenied(FinClawError):
    code = "permission_denied"
    default_message = "You may not do this."


class ProgramScopeMissing(PermissionDenied):
    """A connected program does what its user did not allow it; ``scope`` would."""

    default_message = "You have not allowed this program to do that."

    def __init__(self, scope: str) -> None:
        super().__init__(details={"required_scopes": [scope]})
        self.scope = scope


class TooManyInvitations(FinClawError):
    code = "rate_limited"
    default_message = "You have invited many people lately. Wait until some have answered, or until tomorrow."


class TooManyAttempts(FinClawError):
    """Refused before anything was checked; ``retry_after`` is in seconds."""

    code = "rate_limited"
    retry_after: int

    def __init__(self, wait: timedelta) -> None:
        self.retry_after = max(1, ceil(wait.total_seconds()))
        super().__init__(_("Too many attempts. Try again in %(time)s.") % {"time": _wait_in_words(self.retry_after)})


def _wait_in_words(seconds: int) -> str:
    if seconds <= 90:
        return ngettext("%d second", "%d seconds", seconds) % seconds
    minutes = ceil(seconds / 60)
    return ngettext("%d minute", "%d minutes", minutes) % minutes
