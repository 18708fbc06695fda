"""Limits model calls by time-outs and retries failed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import TypeVar

import httpx2
import structlog
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_exponential_jitter

from foundation.call_priority import current_priority
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import is_transient
from foundation.llm.types import CallLimits

log = structlog.get_logger(__name__)
T = TypeVar("T")

_LONGEST_BACKOFF_SECONDS = 8.0
_CONNECT_SECONDS = 5.0  # the client's own default: a server that is up accepts at once
_SHORTEST_TIMEOUT_SECONDS = 0.001  # zero would mean "do not wait at all" to a socket


class Deadline:
    """When to give up a call: the time for all its attempts is over, or the server was silent for too long."""

    def __init__(self, seconds: float, silence_seconds: float | None = None) -> None:
        """``silence_seconds`` bounds the wait for the answer's beginning, and then for each further part."""
        self._at = monotonic() + seconds
        self._silence = min(silence_seconds or seconds, seconds)
        self.note_answer()

    def note_answer(self) -> None:
        """Note that the server sent something: its silence is measured from now on."""
        self._silent_until = monotonic() + self._silence

    @property
    def has_passed(self) -> bool:
        """Whether the call must be given up now."""
        return monotonic() > min(self._at, self._silent_until)

    def remaining(self) -> float:
        """Seconds left for all attempts together, never below a millisecond."""
        return max(self._at - monotonic(), _SHORTEST_TIMEOUT_SECONDS)

    def patience(self) -> float:
        """Seconds that a call may wait for admission: in a turn (a person waits) at most the silence limit."""
        return self.remaining() if current_priority() == "background" else min(self._silence, self.remaining())

    def timeout(self) -> httpx2.Timeout:
        """The time-outs of an attempt that begins now."""
        self.note_answer()
        remaining = self.remaining()
        read = min(self._silence, remaining)
        return httpx2.Timeout(remaining, read=read, connect=min(_CONNECT_SECONDS, read))

    def bound(self, response: httpx2.Response) -> None:
        """Make reading ``response`` fail once the deadline has passed.

        A read time-out starts anew with every byte, so a server that sends one now and then would never reach it.
        """
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _BoundedStream(response.stream, self)


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for data in self._inner:
            if self._deadline.has_passed:
                raise httpx2.ReadTimeout("the deadline of the call has passed")
            yield data

    def close(self) -> None:
        self._inner.close()


def with_retries(
    attempt: Callable[[], T],
    limits: CallLimits,
    deadline: Deadline,
    may_pass: Callable[[BaseException], bool] = is_transient,
    pause: Callable[[float], None] = sleep,
) -> T:
    """Run ``attempt`` until it succeeds, the limits are reached, or ``may_pass`` says that a retry would not help.

    Raises the last error. Waits as long as ``Retry-After`` says, else exponentially longer with jitter; never past the
    deadline.
    """
    retrying = Retrying(
        retry=retry_if_exception(may_pass),
        stop=stop_after_attempt(limits.max_retries + 1) | stop_before_delay(deadline.remaining()),
        wait=_Backoff(limits.first_backoff_seconds),
        sleep=pause,
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
