"""Leases outbox rows to workers: until a lease runs out, no other worker gets the row.

A lease is short, and its process renews it for as long as it lives (``lease_renewal``). PostgreSQL's clock decides
when it ends, since the clocks of several machines differ.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.db.models import DateTimeField, Expression, ExpressionWrapper, F, Func, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from foundation.database.acting_user import commit_without_waiting, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage

_CLAIM = """
    UPDATE outbox_outboxmessage
    SET state = 'processing', attempts = attempts + 1, leased_until = clock_timestamp() + %(term)s
    WHERE id = (
        SELECT id FROM outbox_outboxmessage
        WHERE state = 'pending' AND available_at <= %(now)s{unless}
        ORDER BY priority, available_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING {columns}
"""
_COLUMNS = [field.attname for field in OutboxMessage._meta.concrete_fields]


def _message_from_row(row: tuple[Any, ...]) -> OutboxMessage:
    message = OutboxMessage.from_db(connection.alias, _COLUMNS, row)
    message.payload = json.loads(message.payload)
    message.result = message.result and json.loads(message.result)
    return message


_UNLESS_HELD: Final = " AND topic <> ALL(%(held)s)"
_UNLESS_BEGUN: Final = " AND concat_ws(' ', topic, user_id, payload ->> 'session') <> ALL(%(begun)s)"


def _term() -> timedelta:
    return timedelta(seconds=settings.OUTBOX_LEASE_SECONDS)


def queue_place(message: OutboxMessage) -> str:
    """The key of jobs that run one after another: those of one topic and user, or of one topic and conversation."""
    parts = (message.topic, message.user_id, message.payload.get("session"))
    return " ".join(str(part) for part in parts if part is not None)


def claim(held_topics: Collection[str] = (), begun: Collection[str] = ()) -> OutboxMessage | None:
    """Lease the most urgent waiting row to this worker, or answer None. Commits on its own.

    Leaves out rows of ``held_topics`` and rows whose ``queue_place`` is in ``begun``, those of running jobs.
    """
    values: dict[str, Any] = {"now": timezone.now(), "term": _term()}
    values |= {"held": sorted(held_topics), "begun": sorted(begun)}
    unless = _UNLESS_HELD * bool(held_topics) + _UNLESS_BEGUN * bool(begun)
    with in_role(WORKER_ROLE):
        # A claim that a crash forgets leaves the row waiting; the completion's own commit, which does wait for the
        # disk, takes this one along.
        commit_without_waiting()
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM.format(columns=", ".join(_COLUMNS), unless=unless), values)
            row = cursor.fetchone()
    return None if row is None else _message_from_row(row)


_RENEW = """
    UPDATE outbox_outboxmessage SET leased_until = clock_timestamp() + %(term)s
    WHERE id IN (
        SELECT id FROM outbox_outboxmessage
        JOIN unnest(%(ids)s::uuid[], %(attempts)s::smallint[]) AS held (id, attempts) USING (id, attempts)
        WHERE state = 'processing' FOR UPDATE OF outbox_outboxmessage SKIP LOCKED
    )
"""


def renew(held: Sequence[OutboxMessage]) -> None:
    """Lease these rows for another term, except those that another worker has by now. Commits on its own.

    A row that a transaction is changing is skipped: the transaction finishes it, or the next renewal reaches it.
    """
    values: dict[str, Any] = {"ids": [message.pk for message in held], "term": _term()}
    with in_role(WORKER_ROLE):
        commit_without_waiting()
        with connection.cursor() as cursor:
            cursor.execute(_RENEW, values | {"attempts": [message.attempts for message in held]})


def abandoned_rows(overdue: timedelta) -> QuerySet[OutboxMessage]:
    """Rows whose lease ended more than ``overdue`` ago and was not renewed.

    There are none until PostgreSQL has run for as long as a lease: while it was down no worker could renew. A row that
    a transaction is changing has a living worker, so lock these rows with ``skip_locked``.
    """
    up_since = Func(function="pg_postmaster_start_time", output_field=DateTimeField())
    is_settled = {"up_since__lt": _before_now(_term())}
    ended = OutboxMessage.objects.filter(state=OutboxMessage.State.PROCESSING, leased_until__lt=_before_now(overdue))
    return ended.alias(up_since=up_since).filter(**is_settled)


def _before_now(span: timedelta) -> Expression:
    return ExpressionWrapper(Now() - span, output_field=DateTimeField())


def release_lease(message: OutboxMessage) -> None:
    """End the lease of an unfinished row, so that the next worker can claim it. No attempt is used up."""
    with in_role(WORKER_ROLE):
        leased_row(message).update(state=OutboxMessage.State.PENDING, attempts=F("attempts") - 1, leased_until=None)


def leased_row(message: OutboxMessage) -> QuerySet[OutboxMessage]:
    """The row while the lease it was claimed with holds; none once another worker has it, or it has ended."""
    state = OutboxMessage.State.PROCESSING
    return OutboxMessage.objects.filter(pk=message.pk, attempts=message.attempts, state=state)
