"""Rate limits of the API, and the ``RateLimit-*`` headers that tell how much of them is left."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from foundation.accounts.addresses import client_address
from foundation.accounts.models import ServiceToken


@dataclass(frozen=True)
class RequestQuota:
    """How many requests a window holds, how many are left, and in how many seconds the oldest leaves it."""

    limit: int
    remaining: int
    reset: int

    def headers(self) -> dict[str, str]:
        """The ``RateLimit-*`` headers of the IETF's draft."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class ReportedThrottle(SimpleRateThrottle):
    """Tells the view what is left of the rate; of several rates, of the one that is exhausted first."""

    def allow_request(self, request: Request, view: Any) -> bool:
        is_allowed: bool = super().allow_request(request, view)
        if self.rate is not None and self.key is not None:
            known = getattr(view, "rate_limit", None)
            view.rate_limit = min(filter(None, (known, self._left())), key=lambda found: found.remaining)
        return is_allowed

    def _left(self) -> RequestQuota:
        limit, window = self.parse_rate(self.rate)
        oldest = self.history[-1] if self.history else self.now
        return RequestQuota(
            limit or 0, max(0, (limit or 0) - len(self.history)), ceil((window or 0) - self.now + oldest)
        )


class AnonymousThrottle(ReportedThrottle, AnonRateThrottle):
    """Limits by the client's address as ``TRUSTED_PROXIES`` determines it, never by a header a client may send."""

    def get_ident(self, request: Request) -> str:
        return client_address(request.META)


class UserThrottle(ReportedThrottle, UserRateThrottle):
    """Limits by the signed-in user, or else by the client's address; a service token by itself, whoever it acts for."""

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if isinstance(request.auth, ServiceToken):
            return str(self.cache_format % {"scope": self.scope, "ident": request.auth.pk})
        key: str | None = super().get_cache_key(request, view)
        return key

    def get_ident(self, request: Request) -> str:
        return client_address(request.META)
