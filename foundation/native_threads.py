"""Makes long calls of C code in a native thread, so that the web server's greenlets go on meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class NativeThread:
    """A thread for calls of one kind, one at a time: several would compete for the processor with each other.

    Under gevent it is a native thread, which the first call starts: after the process forked. Elsewhere each caller's
    own thread makes its call.
    """

    def __init__(self) -> None:
        self._pool: Any = None

    def call(self, function: Callable[..., Result], *arguments: Any, seconds: float | None = None) -> Result:
        """What the function returns.

        Raises what it raises, and under gevent ``TimeoutError`` for one that has not ended in so many seconds, the wait
        for its turn included; it then goes on, and its result is dropped.
        """
        monkey = sys.modules.get("gevent.monkey")
        if monkey is None or not monkey.is_module_patched("threading"):
            return function(*arguments)
        from gevent import Timeout

        with Timeout(seconds, TimeoutError()):
            answer: Result = self._native().apply(function, arguments)
        return answer

    def _native(self) -> Any:
        if self._pool is None:
            from gevent.threadpool import ThreadPool

            self._pool = ThreadPool(1)
        return self._pool
