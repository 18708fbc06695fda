"""The life of an outbox row: enqueue, complete, fail, reclaim, retry; it is claimed in ``leases``.

Nothing is lost: a row is committed together with the data it concerns, and the row of a dead worker is reclaimed.
Nothing is done twice: completion compares id and attempt in the same transaction that writes the job's effects.
Attempts are counted when a row is claimed. A row whose worker died gets one more, since most workers die of something
else; but a row that was claimed ``OUTBOX_MOST_CLAIMS`` times counts as the cause and becomes a dead letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least
from django.utils import timezone
from psycopg.types.json import Jsonb

from foundation.database.acting_user import in_role
from foundation.database.bulk_insert import insert_rows
from foundation.database.error_codes import sqlstate
from foundation.database.roles import WORKER_ROLE
from foundation.ids import new_id
from foundation.outbox.exceptions import LostLease
from foundation.outbox.leases import abandoned_rows, leased_row
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.worker_wakeup import wake_worker
from foundation.telemetry.metrics import OUTBOX_ENQUEUED

State = OutboxMessage.State
LONGEST_PAUSE_SECONDS: Final = 600.0
"""The longest pause between two attempts."""


def enqueue(
    topic: str,
    *,
    user_id: UUID | None,
    payload: Mapping[str, Any],
    scope: str = "",
    priority: Priority = Priority.NORMAL,
    key: UUID | None = None,
    delay: timedelta = timedelta(0),
    available_at: datetime | None = None,
    wake: bool = True,
) -> OutboxMessage:
    """Add work in the caller's transaction and wake a worker when it commits.

    ``payload`` holds ids only. ``available_at`` is when it becomes due, in place of a ``delay`` from now. Work that
    must not be queued twice names its row by ``key``: if a row of that key exists, nothing changes and the returned row
    has ``is_repeated``; a cancelled one is queued again. This takes one statement, without a SELECT or a savepoint.
    """
    now = timezone.now()
    message = OutboxMessage(
        id=key or new_id(),
        topic=topic,
        user_id=user_id,
        payload=dict(payload),
        scope=scope,
        priority=priority,
        max_attempts=settings.OUTBOX_MAX_ATTEMPTS,
        available_at=available_at or now + delay,
        created_at=now,
    )
    message.is_repeated = not _insert(message)
    OUTBOX_ENQUEUED.labels(topic=topic).inc()
    if wake:
        transaction.on_commit(wake_worker)
    return message


def enqueue_all(
    topic: str,
    payloads: Sequence[Mapping[str, Any]],
    *,
    user_id: UUID,
    scope: str,
    priority: Priority,
    available_at: datetime,
) -> None:
    """``enqueue`` of many payloads at once: one statement."""
    shared = {"topic": topic, "user_id": user_id, "scope": scope, "priority": priority, "created_at": timezone.now()}
    due = {"max_attempts": settings.OUTBOX_MAX_ATTEMPTS, "available_at": available_at}
    insert_rows([OutboxMessage(id=new_id(), payload=dict(payload), **shared, **due) for payload in payloads])
    OUTBOX_ENQUEUED.labels(topic=topic).inc(len(payloads))
    transaction.on_commit(wake_worker)


_INSERT = """
    INSERT INTO outbox_outboxmessage (id, topic, user_id, payload, scope, priority, state, attempts, max_attempts,
                                      available_at, error_class, error_sqlstate, created_at)
    VALUES (%s, %s, %s, %s, %s, %s, 'pending', 0, %s, %s, '', '', %s)
    ON CONFLICT (id) DO UPDATE SET state = 'pending', attempts = 0, max_attempts = excluded.max_attempts,
                                   finished_at = NULL
    WHERE outbox_outboxmessage.state = 'cancelled'
"""


def _insert(row: OutboxMessage) -> bool:
    # Behind every request that queues work: by hand it takes two thirds of what the ORM takes (measured).
    values: list[Any] = [row.pk, row.topic, row.user_id, Jsonb(row.payload), row.scope, row.priority]
    values += [row.max_attempts, row.available_at, row.created_at]
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, values)
        return bool(cursor.rowcount)


_JOIN = """
    UPDATE outbox_outboxmessage
    SET payload = jsonb_set(payload, '{messages}', (payload -> 'messages') || (%(payload)s::jsonb -> 'messages')),
        available_at = least(available_at, %(due)s)
    WHERE id = (
        SELECT id FROM outbox_outboxmessage
        WHERE topic = %(topic)s AND user_id = %(user)s AND state = 'pending' AND attempts = 0 AND available_at > %(now)s
          AND (payload - 'messages') = (%(payload)s::jsonb - 'messages')
        ORDER BY available_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
"""


def join_waiting(topic: str, *, user_id: UUID, payload: Mapping[str, Any], available_at: datetime) -> bool:
    """Add the ``messages`` of a payload to work that is not due yet and otherwise has the same payload; answers whether
    there is any. It becomes due at ``available_at`` if that is sooner.
    """
    values: dict[str, Any] = {"topic": topic, "user": user_id, "payload": Jsonb(dict(payload)), "due": available_at}
    with connection.cursor() as cursor:
        cursor.execute(_JOIN, values | {"now": timezone.now()})
        joined = bool(cursor.rowcount)
    if joined:
        transaction.on_commit(wake_worker)
    return joined


_INSERT_ONCE = """
    WITH waiting AS (
        SELECT 1 FROM outbox_outboxmessage
        WHERE topic = %(topic)s AND user_id = %(user)s AND state = 'pending' AND attempts = 0
        LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    INSERT INTO outbox_outboxmessage (id, topic, user_id, payload, scope, priority, state, attempts, max_attempts,
                                      available_at, error_class, error_sqlstate, created_at)
    SELECT %(id)s, %(topic)s, %(user)s, '{}', %(scope)s, %(priority)s, 'pending', 0, %(attempts)s, %(due)s,
           '', '', %(now)s
    WHERE NOT EXISTS (SELECT 1 FROM waiting)
"""


def enqueue_once(topic: str, *, user_id: UUID, scope: str, priority: Priority, delay: timedelta) -> bool:
    """Add work without a payload unless the same work already waits for the user; return whether it was added.

    A row that waits is locked until the caller's transaction ends, so that no worker begins it before it can see the
    caller's change. A row that a worker has begun does not count as waiting.
    """
    now = timezone.now()
    values: dict[str, Any] = {
        "id": new_id(), "topic": topic, "user": user_id, "scope": scope, "priority": priority,
        "attempts": settings.OUTBOX_MAX_ATTEMPTS, "due": now + delay, "now": now,
    }  # fmt: skip
    with connection.cursor() as cursor:  # behind every change of a memory: one statement
        cursor.execute(_INSERT_ONCE, values)
        added = bool(cursor.rowcount)
    if added:
        OUTBOX_ENQUEUED.labels(topic=topic).inc()
    return added


def require_lease(message: OutboxMessage) -> None:
    """Raise ``LostLease`` when another worker has the row or it has ended: further work on it would be wasted."""
    with in_role(WORKER_ROLE):
        if not leased_row(message).exists():
            raise LostLease()


def forget_results(user_id: UUID, before: datetime) -> int:
    """Clear ``result`` of the user's jobs created up to ``before``; returns how many jobs."""
    ended = OutboxMessage.objects.filter(user_id=user_id, created_at__lte=before, result__isnull=False)
    return ended.update(result=None)


_COMPLETE = """
    UPDATE outbox_outboxmessage SET state = 'done', finished_at = %s, leased_until = NULL, result = %s
    WHERE id = %s AND attempts = %s AND state = 'processing'
"""


def complete(message: OutboxMessage, result: Mapping[str, Any] | None = None) -> None:
    """Mark done, inside the transaction that holds the effects. Raises ``LostLease`` to roll those back."""
    values: list[Any] = [timezone.now(), Jsonb(dict(result or {})), message.pk, message.attempts]
    with connection.cursor() as cursor:
        cursor.execute(_COMPLETE, values)
        if not cursor.rowcount:
            raise LostLease()


def fail(message: OutboxMessage, error: BaseException, *, final: bool = False) -> None:
    """Give the row back for a later attempt, or make it a dead letter when its attempts are used up."""
    dead = final or message.is_last_attempt
    with in_role(WORKER_ROLE):
        leased_row(message).update(
            state=State.FAILED if dead else State.PENDING,
            available_at=timezone.now() + pause_after(message.attempts),
            leased_until=None,
            finished_at=timezone.now() if dead else None,
            error_class=type(error).__name__[:80],
            error_sqlstate=sqlstate(error),
        )


def reclaim(overdue: timedelta = timedelta(0)) -> tuple[int, int]:
    """Take back rows whose lease ended so long ago; answers how many wait again and how many became dead letters.

    Its worker's death uses up no attempt of a row, until it has been claimed ``OUTBOX_MOST_CLAIMS`` times: then it is
    poison. ``attempts`` itself is never lowered here, since a worker that only seemed dead must not complete the row.
    """
    most = settings.OUTBOX_MOST_CLAIMS
    with in_role(WORKER_ROLE):
        keys = list(abandoned_rows(overdue).select_for_update(skip_locked=True).values_list("pk", flat=True))
        abandoned = OutboxMessage.objects.filter(pk__in=keys)
        dead = abandoned.filter(attempts__gte=Greatest("max_attempts", most)).update(
            state=State.FAILED, leased_until=None, finished_at=timezone.now(), error_class="WorkerDied"
        )
        waiting = abandoned.filter(state=State.PROCESSING).update(
            state=State.PENDING,
            leased_until=None,
            error_class="WorkerDied",
            max_attempts=Greatest("max_attempts", Least(F("max_attempts") + 1, most)),
        )
    return waiting, dead


def _fresh_attempts() -> dict[str, Any]:
    return {
        "state": State.PENDING,
        "attempts": 0,
        "max_attempts": settings.OUTBOX_MAX_ATTEMPTS,
        "available_at": timezone.now(),
        "finished_at": None,
    }


def retry_failed(ids: list[UUID]) -> int:
    """An operator's retry: dead letters get a fresh set of attempts. Answers how many."""
    revived = OutboxMessage.objects.filter(pk__in=ids, state=State.FAILED).update(**_fresh_attempts())
    transaction.on_commit(wake_worker)
    return revived


def run_again(message_id: UUID) -> bool:
    """Give a row that ended, however it did, a fresh set of attempts; answers whether there is one. A row that waits
    or runs is left as it is.
    """
    rows = OutboxMessage.objects.filter(pk=message_id)
    rows.filter(state__in=[State.DONE, State.FAILED, State.CANCELLED]).update(**_fresh_attempts())
    transaction.on_commit(wake_worker)
    return rows.exists()


def cancel_waiting(user_id: UUID, scope: str) -> dict[str, int]:
    """Cancel the user's waiting work of a consent scope; answers how many rows of each topic."""
    waiting = OutboxMessage.objects.filter(user_id=user_id, scope=scope, state=State.PENDING)
    topics = sorted(set(waiting.order_by().values_list("topic", flat=True)))
    ended = {"state": State.CANCELLED, "finished_at": timezone.now()}
    return {topic: waiting.filter(topic=topic).update(**ended) for topic in topics}


def prune(older_than: timedelta) -> int:
    """Delete rows that ended well longer ago than this; dead letters stay until somebody looked."""
    with in_role(WORKER_ROLE):
        ended = Q(state__in=[State.DONE, State.CANCELLED], finished_at__lt=timezone.now() - older_than)
        return OutboxMessage.objects.filter(ended).delete()[0]


def pause_after(attempts: int) -> timedelta:
    """The pause after so many attempts, doubled by each."""
    seconds: float = settings.OUTBOX_RETRY_SECONDS * 2 ** (attempts - 1)
    return timedelta(seconds=min(seconds, LONGEST_PAUSE_SECONDS))
