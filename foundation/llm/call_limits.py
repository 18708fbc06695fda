"""Time-outs and retries of model calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TypeVar

import httpx2
import structlog
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_exponential_jitter

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import is_transient
from foundation.llm.types import CallLimits

log = structlog.get_logger(__name__)
T = TypeVar("T")

_LONGEST_BACKOFF_SECONDS = 8.0
_CONNECT_SECONDS = 5.0  # the client's own default: a server that is up accepts at once
_SHORTEST_TIMEOUT_SECONDS = 0.001  # zero would mean "do not wait at all" to a socket


class Deadline:
    """The instant at which a whole call, all its attempts together, is given up."""

    def __init__(self, seconds: float) -> None:
        self._at = monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left, never below a millisecond."""
        return max(self._at - monotonic(), _SHORTEST_TIMEOUT_SECONDS)

    def timeout(self, silence_seconds: float | None = None) -> httpx2.Timeout:
        """The time-outs of one attempt; ``silence_seconds`` bounds each wait for more of the answer."""
        remaining = self.remaining()
        read = min(silence_seconds or remaining, remaining)
        return httpx2.Timeout(remaining, read=read, connect=min(_CONNECT_SECONDS, remaining))

    def bound(self, response: httpx2.Response) -> None:
        """Make reading ``response`` fail once the deadline has passed.

        A read time-out starts anew with every byte, so a server that sends one now and then outlives it.
        """
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _BoundedStream(response.stream, self._at)


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for data in self._inner:
            if monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the deadline of the call has passed")
            yield data

    def close(self) -> None:
        self._inner.close()


def with_retries(attempt: Callable[[], T], limits: CallLimits) -> T:
    """Run ``attempt`` until it succeeds, fails for good, or the limits are reached; raises its last error.

    Waits as long as ``Retry-After`` says, else exponentially longer with jitter; never past the call's end.
    """
    retrying = Retrying(
        retry=retry_if_exception(is_transient),
        stop=stop_after_attempt(limits.max_retries + 1) | stop_before_delay(limits.timeout_seconds),
        wait=_Backoff(limits.first_backoff_seconds),
        before_sleep=_log_retry,
        reraise=True,
    )
    return retrying(attempt)


class _Backoff(wait_exponential_jitter):
    def __init__(self, first_seconds: float) -> None:
        super().__init__(multiplier=first_seconds, max=_LONGEST_BACKOFF_SECONDS, jitter=first_seconds)

    def __call__(self, retry_state: RetryCallState) -> float:
        asked: float | None = _last_failure(retry_state).details.get("retry_after_seconds")
        return super().__call__(retry_state) if asked is None else asked


def _log_retry(retry_state: RetryCallState) -> None:
    reason = _last_failure(retry_state).details["reason"]
    log.warning("model.retry", reason=reason, attempt=retry_state.attempt_number)


def _last_failure(retry_state: RetryCallState) -> ModelUnavailable:
    error = retry_state.outcome.exception() if retry_state.outcome else None
    assert isinstance(error, ModelUnavailable)
    return error
