"""Wakes workers through Redis rather than by a row of PostgreSQL that they look for five times a second.

Redis holds one word: that a worker is to look. What there is to do stands in PostgreSQL as without it, so nothing is
lost with Redis, and while it is away wake-ups go through PostgreSQL.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django_q.conf import Conf

if TYPE_CHECKING:
    import redis

log = structlog.get_logger(__name__)
KEY: Final = f"{Conf.PREFIX}:wake"
ANSWER_SECONDS: Final = 0.3
"""How long a connection, and the answer to whoever leaves a wake-up, may take: a request waits meanwhile."""
WAIT_SECONDS: Final = 1
"""How long a worker waits to be woken before it looks about by itself."""
_WAITING_ANSWER_SECONDS: Final = WAIT_SECONDS + 2.0
AWAY_SECONDS: Final = 5.0
"""For how long a Redis that failed is not asked."""


class RedisAway(Exception):
    """Redis does not answer, or did not a moment ago."""


class RedisWakeups:
    """The wake-up in one Redis; at most one waits there at a time."""

    def __init__(self, url: str) -> None:
        self._client = _client(url, ANSWER_SECONDS)
        self._waiting_client = _client(url, _WAITING_ANSWER_SECONDS)
        self._away_until = 0.0

    def wake(self) -> None:
        """Leave a wake-up, unless one is there. Raises ``RedisAway``."""
        self._ask(self._leave)

    def _leave(self) -> list[Any]:
        with self._client.pipeline() as both_or_none:
            both_or_none.rpush(KEY, "1")
            both_or_none.ltrim(KEY, 0, 0)
            return both_or_none.execute()

    def wait(self) -> bool:
        """Take the wake-up; whether there was one within ``WAIT_SECONDS``. Raises ``RedisAway``."""
        return bool(self._ask(lambda: self._waiting_client.blpop([KEY], WAIT_SECONDS)))

    def ping(self) -> None:
        """Find out whether it answers. Raises ``RedisAway``."""
        self._ask(self._client.ping)

    def _ask(self, ask: Callable[[], Any]) -> Any:
        import redis

        if time.monotonic() < self._away_until:
            raise RedisAway
        try:
            return ask()
        except redis.RedisError as error:
            self._away_until = time.monotonic() + AWAY_SECONDS
            log.warning("redis_away", error=type(error).__name__)
            raise RedisAway from error


def redis_wakeups() -> RedisWakeups | None:
    """Those of ``REDIS_URL``; None where it is empty."""
    return _wakeups_of(settings.REDIS_URL) if settings.REDIS_URL else None


@lru_cache(maxsize=4)
def _wakeups_of(url: str) -> RedisWakeups:
    return RedisWakeups(url)


def _client(url: str, seconds: float) -> redis.Redis:
    try:
        import redis
    except ImportError:
        raise ImproperlyConfigured("REDIS_URL needs Redis's client: run `make extras`, or unset it.") from None
    return redis.Redis.from_url(url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=seconds)
