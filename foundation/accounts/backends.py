"""Signing in with a user name and a password, within limits."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied

from foundation.accounts.addresses import client_address
from foundation.accounts.attempts import AttemptPurpose, begin_attempt
from foundation.accounts.models import User


class LimitedBackend(ModelBackend):
    """Authentication by user name and password, rate-limited, for every page and endpoint.

    Django's own backend stands behind it for sessions and permissions alone: a wrong password ends the search.
    """

    def authenticate(
        self, request: Any, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        """The user, if the password is theirs. Raises ``TooManyAttempts``; a call without a request is not limited."""
        if request is None or username is None or password is None:
            return super().authenticate(request, username, password, **kwargs)
        attempt = begin_attempt(AttemptPurpose.SIGN_IN, client_address(request.META), username)
        user = super().authenticate(request, username, password)
        if user is None:
            raise PermissionDenied
        attempt.succeed()
        return user
