"""Renews the leases of the rows that a process holds, for as long as it lives."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event, Thread
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db import Error, connection

from foundation.outbox import leases
from foundation.outbox.models import OutboxMessage

log = structlog.get_logger(__name__)
RENEWALS: Final = 4
"""How many renewals fit into one lease, so that some may fail."""
_PARTING_SECONDS: Final = 1.0


class LeaseRenewal:
    """A thread that renews the leases of all rows in ``held``, with one SQL statement and its own connection.

    The thread of the jobs could not do it, since it computes or waits for a model.
    """

    def __init__(self, held: Mapping[UUID, OutboxMessage]) -> None:
        self._held = held
        self._is_over = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin, unless it has begun."""
        if self._thread is None:
            self._thread = Thread(target=self._renew_until_over, name="renewing leases", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End it, with its connection."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(_PARTING_SECONDS)

    def _renew_until_over(self) -> None:
        while not self._is_over.wait(settings.OUTBOX_LEASE_SECONDS / RENEWALS):
            if held := list(self._held.values()):
                _renew(held)
        connection.close()


def _renew(held: list[OutboxMessage]) -> None:
    """Renew once. If the database is down, the next renewal tries again; the jobs notice it by themselves."""
    try:
        leases.renew(held)
    except Error as error:
        connection.close()
        log.warning("leases_not_renewed", rows=len(held), error=type(error).__name__)
