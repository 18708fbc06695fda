"""Calls the stores behind the knowledge store, one beside the other: an answer in time, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    """A call to a store: begun in a thread or, where the store reads in this transaction, made by ``result``."""

    def __init__(
        self, call: Callable[[], Found], failures: FailureReasons, milliseconds: int, *, in_thread: bool
    ) -> None:
        self._answer = _THREADS.begin(milliseconds / 1000, call).result if in_thread else call
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
