"""Calls the stores behind the knowledge store, one beside the other: an answer in time, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

import structlog

from foundation.concurrent_calls import CallThreads
from foundation.exceptions import FinClawError
from knowledge.exceptions import (
    KnowledgeGraphTimedOut,
    KnowledgeGraphUnavailable,
    KnowledgeVectorsTimedOut,
    KnowledgeVectorsUnavailable,
)
from knowledge.question_time import milliseconds_left

Found = TypeVar("Found")
log = structlog.get_logger(__name__)
_THREADS: Final = CallThreads("knowledge stores", 8)


@dataclass(frozen=True)
class FailureReasons:
    """What a receipt says of a store that took too long, and of one that failed."""

    timed_out: type[FinClawError]
    unavailable: type[FinClawError]


VECTOR_FAILURES: Final = FailureReasons(KnowledgeVectorsTimedOut, KnowledgeVectorsUnavailable)
GRAPH_FAILURES: Final = FailureReasons(KnowledgeGraphTimedOut, KnowledgeGraphUnavailable)


class StoreCall(Generic[Found]):
    """A call to a store: begun in a thread or, where the store reads in this transaction, made by ``result``.

    It may take ``milliseconds``, or the time that is left for the question; where none is, the store is not asked.
    """

    def __init__(
        self, call: Callable[[], Found], failures: FailureReasons, milliseconds: int, *, in_thread: bool
    ) -> None:
        most = milliseconds_left(milliseconds)
        begins = in_thread and most > 0
        self._answer = _THREADS.begin(most / 1000, call).result if begins else partial(_ask_in_time, call, milliseconds)
        self._failures = failures

    def result(self) -> tuple[Found | None, str]:
        """What was found and "", or None and the reason. Never raises."""
        try:
            return self._answer(), ""
        except (TimeoutError, self._failures.timed_out):
            return None, self._failures.timed_out.code
        except Exception as error:  # noqa: BLE001  what an outside store raises is not ours to know
            cause = error.__cause__ or error
            log.warning("knowledge_store_failed", reason=self._failures.unavailable.code, error=type(cause).__name__)
            return None, self._failures.unavailable.code


def _ask_in_time(call: Callable[[], Found], milliseconds: int) -> Found:
    if not milliseconds_left(milliseconds):
        raise TimeoutError
    return call()
