"""Work that stands still in the middle, in a thread with a connection of its own, while its person erases."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.historian.automatic_ends import END_TURNS_TOPIC
from memory.models import Session
from memory.services.portrait_rebuilds import REMAKE_TOPIC
from tests.support.needles import dump
from tests.support.talk import memories

NEEDLE = "zqneedlezq"
PATIENCE = 30.0  # seconds until a test that hangs fails
SCOPES = (ErasureScope.ITEM, ErasureScope.SESSION, ErasureScope.MEMORIES, ErasureScope.ACCOUNT)

LOOKS_AGAIN = (END_TURNS_TOPIC, REMAKE_TOPIC)
"""Work that waits for more to be said or to change."""


class Beside:
    """Work in a thread with a connection of its own, which stops where it calls ``stop`` until it may go on."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._stopped, self._may_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.error: BaseException | None = None
        self.ended = threading.Event()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  the test looks at it
            self.error = error
        finally:
            connections.close_all()
            self.ended.set()
            self._stopped.set()

    def stop(self) -> None:
        """Called by the work: the first time it waits; whoever else comes by goes on."""
        if threading.current_thread() is self._thread and not self._stopped.is_set():
            self._stopped.set()
            assert self._may_go.wait(PATIENCE)

    def begin(self) -> None:
        """Begin, and answer at once."""
        self._thread.start()

    def start(self) -> None:
        """Begin, and answer once it stands still."""
        self.begin()
        assert self._stopped.wait(PATIENCE)
        assert not self.ended.is_set(), self.error

    def go_on(self) -> None:
        """Let it go on, and answer once it ended."""
        self._may_go.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


def forget_needle(user: User, scope: ErasureScope, session: Session, sources: Sources = Sources.REDACT) -> Tombstone:
    """Ask for it; the scope of one memory names the one that holds the needle."""
    target = {ErasureScope.SESSION: str(session.pk)}.get(scope, "")
    if scope == ErasureScope.ITEM:
        target = str(next(item.pk for item in memories(user) if NEEDLE in item.content))
    with acting_as(user.pk):
        return forget(user, scope, target, sources, source="api")


def require_gone(tombstone: Tombstone) -> None:
    """Whatever is still queued is done; then the erasure is complete, no job waits or failed, and no word is left."""
    drain()
    with in_role(OPERATOR_ROLE):
        row = Tombstone.objects.get(pk=tombstone.pk)
        reasons = list(row.steps.exclude(reason="").values_list("reason", flat=True))
    assert (row.state, reasons) == ("completed", [])
    with in_role(WORKER_ROLE):
        # What waits for more to be said looks again, when it is due, at what is left.
        states = set(OutboxMessage.objects.exclude(topic__in=LOOKS_AGAIN).values_list("state", flat=True))
    assert states <= {OutboxMessage.State.DONE, OutboxMessage.State.CANCELLED}
    assert NEEDLE not in dump()
