"""How fast one model of a server may be asked: by its 429s, by what its answers say is left, and by our settings."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any, Final

from foundation.llm.admission_rules import RateRules
from foundation.llm.clock import Clock
from foundation.llm.exceptions import ModelUnavailable

_LONGEST_BACKOFF_SECONDS: Final = 60.0
_LONGEST_PAUSE_SECONDS: Final = 86_400.0  # a day: the longest window that a provider counts in
_MINUTE: Final = 60.0
_SHARE_AT_ONCE: Final = 1 / 6
# "6m0s", "1.5s", "20ms" as OpenAI writes them; others send a plain number of seconds.
_DURATION: Final = re.compile(r"([0-9]{1,9}+(?:\.[0-9]{1,9}+)?+)(ms|s|m|h|d|)")
_LIMITS_OF_ANSWERS: Final = ("max_tokens", "max_completion_tokens")
_BYTES_A_TOKEN: Final = 3  # a Chinese character in UTF-8; a Latin letter takes one, and a token has about four
_SECONDS_OF: Final = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


class TokenBucket:
    """A token bucket that fills steadily; what is taken in any minute stays within ``per_minute``.

    It holds a sixth of ``per_minute`` and refills evenly: if it held a whole minute's worth, taking that and the refill
    would make twice as much in the first minute. Only a demand larger than the sixth exceeds the limit, by its excess.
    """

    def __init__(self, per_minute: float, clock: Clock) -> None:
        self._clock = clock
        self._most = self._level = max(1.0, per_minute * _SHARE_AT_ONCE)
        # Less what is there at once; a bucket of one fills once a sixtieth of a minute for each of its sixty.
        self._per_second = min(per_minute, per_minute - self._most + 1.0) / _MINUTE
        self._at = clock.now()

    def delay(self, amount: float) -> float:
        """Seconds until ``amount`` can be taken."""
        self._fill()
        missing = min(amount, self._most) - self._level
        return max(0.0, missing / self._per_second)

    def take(self, amount: float) -> None:
        """Take ``amount``, even below zero; a negative amount is put back."""
        self._fill()
        self._level = min(self._level - amount, self._most)

    def _fill(self) -> None:
        now = self._clock.now()
        self._level = min(self._level + (now - self._at) * self._per_second, self._most)
        self._at = now


class StatedAllowance:
    """What a server says is left of one of its rate limits, and in how many seconds that limit is reset."""

    def __init__(self, unit: str, clock: Clock) -> None:
        """``unit`` is ``requests`` or ``tokens``, as in the names of the headers."""
        self._left_header, self._reset_header = (f"x-ratelimit-{what}-{unit}" for what in ("remaining", "reset"))
        self._clock = clock
        self._left = 0.0
        self._until = self._read_at = float("-inf")

    def read(self, headers: Mapping[str, str], asked_since: float) -> None:
        """Take over what an answer says, less what was asked since its request left."""
        left, seconds = headers.get(self._left_header, ""), duration_seconds(headers.get(self._reset_header, ""))
        if left.isdecimal() and seconds is not None:
            self._left = int(left) - asked_since
            self._read_at = self._clock.now()
            self._until = self._read_at + min(seconds, _LONGEST_PAUSE_SECONDS)

    def delay(self, amount: float) -> float:
        """Seconds until ``amount`` may be asked for."""
        return 0.0 if amount <= self._left else max(0.0, self._until - self._clock.now())

    def take(self, amount: float) -> None:
        """Count what is asked for now."""
        self._left -= amount

    def take_back(self, amount: float, taken_at: float) -> None:
        """Put back what was not asked for after all, unless the server has said since what is left."""
        if self._read_at < taken_at:
            self._left += amount


class RateLimit:
    """Everything that paces the requests to one model. Not safe to share: its user holds a lock."""

    def __init__(self, rules: RateRules, clock: Clock) -> None:
        self._rules = rules
        self._clock = clock
        per_minute = (rules.requests_per_minute, rules.tokens_per_minute)
        self._buckets = [TokenBucket(most, clock) if most else None for most in per_minute]
        self._stated = [StatedAllowance(unit, clock) for unit in ("requests", "tokens")]
        self._paused_until = self._refused_at = float("-inf")
        self._refusals = 0
        self._most_in_flight = float("inf")

    def may_have(self, in_flight: int) -> bool:
        """Whether one more call may be in flight besides ``in_flight`` others; after 429s fewer may."""
        return in_flight < max(1, int(min(self._most_in_flight, 1e9)))

    def delay(self, tokens: int) -> float:
        """Seconds until a request of so many tokens may be sent, as it looks now."""
        amounts = (1, tokens)
        filling = [bucket.delay(most) for bucket, most in zip(self._buckets, amounts, strict=True) if bucket]
        stated = [allowance.delay(most) for allowance, most in zip(self._stated, amounts, strict=True)]
        return max(0.0, self._paused_until - self._clock.now(), *filling, *stated)

    def take(self, tokens: int) -> None:
        """Count a request that is sent now."""
        for bucket, allowance, amount in zip(self._buckets, self._stated, (1, tokens), strict=True):
            allowance.take(amount)
            if bucket:
                bucket.take(amount)

    def take_back(self, tokens: int, taken_at: float) -> None:
        """Undo ``take`` for a request that was not sent after all."""
        for bucket, allowance, amount in zip(self._buckets, self._stated, (1, tokens), strict=True):
            allowance.take_back(amount, taken_at)
            if bucket:
                bucket.take(-amount)

    def give_back(self, tokens: int) -> None:
        """Put back what a request was counted for and did not use."""
        if bucket := self._buckets[1]:
            bucket.take(-tokens)

    def read(self, headers: Mapping[str, str], requests_since: int, tokens_since: int) -> None:
        """Take over what an answer says is left."""
        for allowance, since in zip(self._stated, (requests_since, tokens_since), strict=True):
            allowance.read(headers, since)

    def note_answer(self) -> None:
        """A call was answered: one more may be in flight for each round of answers."""
        self._refusals = 0
        self._most_in_flight += 1 / self._most_in_flight

    def note_refusal(self, error: ModelUnavailable, began: float, in_flight: int) -> None:
        """The server said to come later. Ask nothing before, and then half as many at a time as it refused."""
        seconds = error.retry_after_seconds
        if (
            error.reason == "rate_limited" and began > self._refused_at
        ):  # later refusals of the same moment tell no more
            self._refused_at = self._clock.now()
            self._most_in_flight = max(1.0, in_flight / 2)
            self._refusals = min(self._refusals + 1, 10)
        if seconds is None:
            seconds = self._backoff_seconds() if error.reason == "rate_limited" else 0.0
        self._paused_until = max(self._paused_until, self._clock.now() + min(seconds, _LONGEST_PAUSE_SECONDS))

    def _backoff_seconds(self) -> float:
        longest = self._rules.first_backoff_seconds * 2.0 ** max(self._refusals - 1, 0)
        return min(longest, _LONGEST_BACKOFF_SECONDS) * random.uniform(1.0, 1.25)  # noqa: S311  no secret


def duration_seconds(text: str) -> float | None:
    """Seconds of a duration as ``1h2m3.5s``, ``20ms`` or ``12``; None for anything else."""
    parts, at = [], 0
    while match := _DURATION.match(text[:64], at):
        parts.append(float(match[1]) * _SECONDS_OF[match[2]])
        at = match.end()
    return sum(parts) if parts and at == len(text) else None


def most_tokens(request: Mapping[str, Any]) -> int:
    """What a chat request may use up, roughly: its texts, and the longest answer that it allows.

    Providers count the allowed answer, not the written one. Pictures and sounds are not counted.
    """
    contents = [message.get("content") or "" for message in request["messages"]]
    parts = [content if isinstance(content, list) else [{"text": content}] for content in contents]
    texts = [str(part.get("text", "")) for content in parts for part in content]
    answer = next((int(request[name]) for name in _LIMITS_OF_ANSWERS if name in request), 0)
    return sum(len(text.encode()) for text in texts) // _BYTES_A_TOKEN + answer
