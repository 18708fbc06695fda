"""Runs several jobs in one worker, so that others go on while some wait for a model.

One job computes at a time; the others wait for an answer, or have it and wait until they may compute. A row is claimed
only when it can be begun at once, so that the most urgent comes first, and other workers get what this one has no room
for.
"""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection
from tenacity import RetryCallState, retry, retry_if_exception, stop_after_delay, wait_fixed

from foundation.coroutines import Coroutines
from foundation.database.error_codes import is_database_down
from foundation.llm.exceptions import ProviderFailure
from foundation.outbox import leases
from foundation.outbox.job_run import run
from foundation.outbox.lease_renewal import LeaseRenewal
from foundation.outbox.models import OutboxMessage
from foundation.outbox.suspension import is_certain, provider_pause_seconds

_LOOK_SECONDS: Final = 0.2
_PATIENCE_SECONDS: Final = 30.0  # of a database that starts again, or fails over
ALONE_FROM_ATTEMPT: Final = 3
"""From this attempt on, a row whose worker died runs with no other job beside it: if it kills its worker again, no
other job is lost with it.
"""


class ConcurrentJobs:
    """Claims and runs rows, up to ``most`` of which wait for a model at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._coroutines = Coroutines(most)
        self._begun: dict[UUID, OutboxMessage] = {}
        self._renewal = LeaseRenewal(self._begun)
        self._alone: OutboxMessage | None = None  # among the begun; nothing is claimed until it has ended
        self._down_until: dict[str, float] = {}
        self.ended = 0

    @property
    def running(self) -> int:
        """How many have begun and not ended."""
        return len(self._begun)

    def begin_next(self) -> bool:
        """Resume all jobs that have an answer, then begin the most urgent row that may begin; return whether one did.

        Of the rows with the same ``queue_place`` one begins only when the one before it has ended.
        """
        while self._coroutines.resume_next():
            pass
        if self._alone is not None:
            return self._begin_alone()
        message = leases.claim(self._held_topics(), {leases.queue_place(begun) for begun in self._begun.values()})
        if message is None:
            return False
        self._begun[message.pk] = message
        self._renewal.start()
        if message.error_class == "WorkerDied" and message.attempts >= ALONE_FROM_ATTEMPT:
            self._alone = message
            self._begin_alone()
        else:
            self._coroutines.start(partial(self._run, message))
        return True

    def trial_comes_by(self, moment: float) -> bool:
        """Whether a provider that is down may be asked again by ``moment``, which has not passed yet."""
        return time.monotonic() < moment and min(self._down_until.values(), default=moment + 1.0) <= moment

    def go_on(self, seconds: float) -> None:
        """Resume the next job that has its answer, waiting up to ``seconds`` for one."""
        if not self._begin_alone():
            self._coroutines.resume_next(seconds)

    def finish(self, seconds: float) -> None:
        """Let the running jobs go on until all have ended or ``seconds`` are over; begins no other."""
        until = time.monotonic() + seconds
        while self._coroutines.waiting and (left := until - time.monotonic()) > 0:
            self._coroutines.resume_next(min(left, 1.0))

    def close(self) -> None:
        """End all jobs that have not finished, and give their rows back; wait for a database that is down.

        Otherwise no worker would take these rows, or later ones of the same ``queue_place``, before their leases end.
        """
        left = list(self._begun.values())
        self._coroutines.close()
        try:
            for message in left:
                _give_back(message)
        finally:
            self._renewal.close()

    def _begin_alone(self) -> bool:
        """Begin the claimed row that must run alone, once nothing else runs; answers whether it was begun."""
        if self._alone is None or self._coroutines.waiting:
            return False
        self._coroutines.start(partial(self._run, self._alone))
        return True

    def _run(self, message: OutboxMessage) -> None:
        self._note_provider(message.topic, run(message))  # what falls through here is given back by ``close``
        self.ended += 1
        del self._begun[message.pk]
        if message is self._alone:
            self._alone = None

    def _held_topics(self) -> set[str]:
        """Topics of which no job may begin now.

        These are the topics of begun jobs, once there are ``most`` of those; topics that use all of their places
        (``OUTBOX_TOPIC_PLACES``), so that slow servers of one kind hold up no other work; and topics whose provider is
        down, until it may be asked again: then one job tries it, and the others follow if it answers.
        """
        now = time.monotonic()
        waiting = Counter(message.topic for message in self._begun.values())
        held = set(waiting) if len(self._begun) >= self._most else set()
        held |= {topic for topic, places in settings.OUTBOX_TOPIC_PLACES.items() if waiting[topic] >= places}
        return held | {topic for topic, until in self._down_until.items() if now < until or topic in waiting}

    def _note_provider(self, topic: str, failure: ProviderFailure | None) -> None:
        if failure is None:
            self._down_until.pop(topic, None)
        elif is_certain(failure):
            self._down_until[topic] = time.monotonic() + provider_pause_seconds(failure)


def _drop_connection(_: RetryCallState) -> None:
    if not connection.in_atomic_block:
        connection.close()


@retry(
    retry=retry_if_exception(is_database_down),
    wait=wait_fixed(_LOOK_SECONDS),
    stop=stop_after_delay(_PATIENCE_SECONDS),
    before_sleep=_drop_connection,
    reraise=True,
)
def _give_back(message: OutboxMessage) -> None:
    leases.release_lease(message)
