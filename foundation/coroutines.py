"""Runs several pieces of work in one thread, where each lets the others run while it waits for a server.

All computing stays in one thread, one piece of work at a time, so that a limit on processor time can interrupt it and
one database connection serves all. Only the calls that wait for a server are made in other threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import TypeVar

from greenlet import getcurrent, greenlet

from foundation.deadlines import paused_deadline

T = TypeVar("T")


class Coroutines:
    """Pieces of work of one thread, of which up to ``most_calls`` wait for servers at a time."""

    def __init__(self, most_calls: int) -> None:
        self._free_calls = Semaphore(most_calls)
        self._answered: SimpleQueue[_Coroutine] = SimpleQueue()
        self._waiting: set[_Coroutine] = set()
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """The number of pieces of work that have begun and not ended."""
        return len(self._waiting)

    def start(self, work: Callable[[], object]) -> None:
        """Run ``work`` until it ends or first waits for a server. Raises what it raises; so does ``resume_next``."""
        self._run(_Coroutine(work, self))

    def resume_next(self, seconds: float = 0.0) -> bool:
        """Resume a piece of work whose call has returned; return whether there was one within ``seconds``."""
        try:
            coroutine = self._answered.get(timeout=seconds) if seconds else self._answered.get_nowait()
        except Empty:
            return False
        if coroutine in self._waiting:
            self._run(coroutine)
        return True

    def close(self) -> None:
        """End all waiting work by ``GreenletExit``. Their calls go on in their threads; the results are dropped."""
        for coroutine in list(self._waiting):
            coroutine.throw()
        self._waiting.clear()
        self._is_closed = True

    def call(self, coroutine: _Coroutine, call: Callable[[], T]) -> T:
        """Make a call in another thread and return its result to ``coroutine``; others run meanwhile."""
        answer: Future[T] = Future()
        answer.add_done_callback(lambda _: self._answered.put(coroutine))
        within = partial(copy_context().run, call)
        # Not a thread of an executor: a process that ends waits for those, and so for abandoned calls.
        Thread(target=self._make_call, args=(within, answer), name="waits for a server", daemon=True).start()
        with paused_deadline():
            assert coroutine.parent is not None
            coroutine.parent.switch()
        return answer.result()

    def _make_call(self, call: Callable[[], T], answer: Future[T]) -> None:
        with self._free_calls:
            if self._is_closed:
                return
            try:
                answer.set_result(call())
            except BaseException as error:  # noqa: BLE001  it is raised where the answer is waited for
                answer.set_exception(error)

    def _run(self, coroutine: _Coroutine) -> None:
        self._waiting.add(coroutine)
        try:
            coroutine.switch()
        finally:
            if coroutine.dead:
                self._waiting.discard(coroutine)


class _Coroutine(greenlet):  # type: ignore[misc]  # greenlet has no types
    def __init__(self, work: Callable[[], object], group: Coroutines) -> None:
        super().__init__(work)
        self.gr_context = copy_context()
        self.group = group


def call_in_thread(call: Callable[[], T]) -> T:
    """Return ``call()``, which waits for a server or a process, and let the thread's other coroutines run meanwhile;
    outside a coroutine just call it.

    The call runs in another thread, so it must not use the database. No transaction may be open here, since the other
    coroutines use the same connection.
    """
    current = getcurrent()
    return current.group.call(current, call) if isinstance(current, _Coroutine) else call()
