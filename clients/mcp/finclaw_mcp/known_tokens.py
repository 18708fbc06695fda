"""Caches for a few seconds what the API said of a valid token, so that it is not asked for each message."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from finclaw_client.models import PresentedToken

KNOWN_SECONDS: Final = 10.0
MOST_KNOWN: Final = 10_000


@dataclass
class KnownTokens:
    """What the API said of a token, by the token's digest, for ``KNOWN_SECONDS`` or until the API refuses it.

    The API itself checks the token again with every act in the user's name, so a revoked token can do nothing from that
    moment on.
    """

    _known: dict[bytes, tuple[PresentedToken, float]] = field(default_factory=dict)

    def get(self, token: str) -> PresentedToken | None:
        """What is known of the token; ``None`` where that is nothing, or too old."""
        said, until = self._known.get(_digest(token), (None, 0.0))
        return said if monotonic() < until else None

    def add(self, token: str, said: PresentedToken) -> None:
        """Note what the API said of a valid token."""
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[_digest(token)] = said, monotonic() + KNOWN_SECONDS

    def forget(self, token: str) -> None:
        """Remove a token that the API has refused."""
        self._known.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
