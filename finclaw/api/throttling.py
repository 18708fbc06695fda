"""How many requests somebody may send."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle

from foundation.accounts.addresses import client_address


class AnonymousThrottle(AnonRateThrottle):
    """By the client's address as ``TRUSTED_PROXIES`` lets it be known, never by a header that a client may send."""

    def get_ident(self, request: Request) -> str:
        """Whom the limit is of."""
        return client_address(request.META)
