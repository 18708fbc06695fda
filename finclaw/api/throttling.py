"""Rate limits of the API."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle

from foundation.accounts.addresses import client_address


class AnonymousThrottle(AnonRateThrottle):
    """Limits by the client's address as ``TRUSTED_PROXIES`` determines it, never by a header a client may send."""

    def get_ident(self, request: Request) -> str:
        return client_address(request.META)
