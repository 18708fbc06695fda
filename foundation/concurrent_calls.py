"""Runs a call concurrently, in a thread (under gevent a greenlet), and waits for its result until a deadline."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, Generic, ParamSpec, TypeVar

from foundation.compute_slot import compute_slot_released, current_slot

T = TypeVar("T")
P = ParamSpec("P")


class ConcurrentCall(Generic[T]):
    """A call that runs concurrently with its caller, which waits for it until a deadline."""

    def __init__(self, running: Future[T], seconds: float) -> None:
        self._running = running
        self._until = monotonic() + seconds

    def result(self) -> T:
        """What the call returned.

        Raises what it raised, and ``TimeoutError`` past the deadline, after which the call is abandoned.
        """
        try:
            with nullcontext() if self._running.done() else compute_slot_released():
                return self._running.result(max(0.0, self._until - monotonic()))
        except TimeoutError:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Cancel the call if it has not begun; otherwise let it run and drop its result."""
        self._running.cancel()


class CallThreads:
    """A pool of at most ``most`` threads for calls of one kind, started by the first calls: after the process forked.

    Unlike with a ``ThreadPoolExecutor``, a process that ends does not wait for these threads: an abandoned call may
    last for as long as its server is silent.
    """

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = Lock()
        self._threads = self._busy = 0

    def begin(self, seconds: float, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> ConcurrentCall[T]:
        """Begin ``call`` in a copy of the caller's context; its result is waited for at most ``seconds`` from now.

        The call uses a database connection of its own, which it must close.
        """
        context = copy_context()
        context.run(current_slot.set, None)  # only the caller may give up its own place to compute
        running: Future[T] = Future()
        with self._lock:
            self._waiting.put((running, partial(context.run, partial(call, *args, **kwargs))))
            self._busy += 1
            if self._threads < min(self._busy, self._most):
                self._threads += 1
                Thread(target=self._make_calls, name=self._name, daemon=True).start()
        return ConcurrentCall(running, seconds)

    def _make_calls(self) -> None:
        while True:
            self._make_call(*self._waiting.get())

    def _make_call(self, running: Future[T], call: Callable[[], T]) -> None:
        if running.set_running_or_notify_cancel():
            try:
                running.set_result(call())
            except BaseException as error:  # noqa: BLE001  it is raised where the answer is waited for
                running.set_exception(error)
        with self._lock:
            self._busy -= 1
