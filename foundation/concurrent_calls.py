"""Runs a call beside its caller, and waits for it until a deadline: in a thread, in web processes a greenlet."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import cached_property, partial
from time import monotonic
from typing import Generic, ParamSpec, TypeVar

from foundation.request_line import aside, current_place

T = TypeVar("T")
P = ParamSpec("P")


class ConcurrentCall(Generic[T]):
    """A call that runs beside its caller, who waits for it until a deadline."""

    def __init__(self, running: Future[T], seconds: float) -> None:
        self._running = running
        self._until = monotonic() + seconds

    def result(self) -> T:
        """What the call returned.

        Raises what it raised, and ``TimeoutError`` past the deadline, after which the call is abandoned.
        """
        try:
            with nullcontext() if self._running.done() else aside():
                return self._running.result(max(0.0, self._until - monotonic()))
        except TimeoutError:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Cancel the call if it has not begun; one that has ends by itself, and nobody hears of it."""
        self._running.cancel()


class CallThreads:
    """At most so many threads for calls of one kind. They begin with the first call: after a web process has forked."""

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most

    def begin(self, seconds: float, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> ConcurrentCall[T]:
        """Begin ``call`` within its caller's context, to be waited for during so many ``seconds`` from now.

        It has a database connection of its own, which it must close.
        """
        context = copy_context()
        context.run(current_place.set, None)  # the caller's place in line is the caller's to give back
        within = partial(context.run, partial(call, *args, **kwargs))
        return ConcurrentCall(self._executor.submit(within), seconds)

    @cached_property
    def _executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._most, thread_name_prefix=self._name)
