"""Renews the leases of this process's turns: one statement for all of them, twice a second, while there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Condition, Thread
from time import monotonic, sleep
from typing import Final
from uuid import UUID

import structlog
from django.db import connection

from memory.services import turn_leases

log = structlog.get_logger(__name__)

RENEWAL_SECONDS: Final = turn_leases.LEASE.total_seconds() / 4
"""Three renewals may fail before a lease ends. Until the first, a turn's own beginning holds its conversation."""


class TurnRenewal:
    """A thread that renews while there are turns; it keeps no database connection between two renewals."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._turns: dict[object, tuple[UUID, float]] = {}
        self._thread: Thread | None = None

    @contextmanager
    def held(self, session_id: UUID) -> Iterator[None]:
        """Have a turn's lease renewed while the block runs, and for ``LEASE`` beyond unless the block fails.

        A turn that is made ready in one block is answered in another; one that nobody answers frees its conversation.
        """
        turn = object()
        self._begin(turn, session_id)
        try:
            yield
        except BaseException:
            self._turns.pop(turn, None)
            raise
        self._turns[turn] = session_id, monotonic() + turn_leases.LEASE.total_seconds()

    def _begin(self, turn: object, session_id: UUID) -> None:
        with self._changed:
            self._turns[turn] = session_id, inf
            if self._thread is None or not self._thread.is_alive():  # a fork copies no threads
                self._thread = Thread(target=self._renew_for_ever, name="renewing", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _renew_for_ever(self) -> None:
        _run_alone(turn_leases.forget_processes)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._turns)
            sleep(RENEWAL_SECONDS)
            if sessions := self._held_sessions():
                _run_alone(lambda: turn_leases.renew_turns(sessions))

    def _held_sessions(self) -> list[UUID]:
        for turn, (_, until) in list(self._turns.items()):
            if until < monotonic():
                self._turns.pop(turn, None)
        return [session_id for session_id, _ in list(self._turns.values())]


def _run_alone(statement: Callable[[], None]) -> None:
    """Run one statement. Where it fails, as while the database is down, the next one tries again."""
    try:
        statement()
    except Exception as error:  # noqa: BLE001  whatever it is, without this thread every turn under way loses its lease
        log.warning("turn_leases_not_renewed", error=type(error).__name__)
    finally:
        connection.close()  # this thread's own
